package io.weir.node.extension;

import io.weir.node.gateway.Diversion;
import io.weir.node.intake.Door;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The parts of an extension on one event loop.
 *
 * @param doors for callers and services, made once the diversions of all extensions are known
 * @param operatorsDoors for operators
 * @param diversion answers requests of some operations in place of the upstream
 */
public record LoopExtension(
    Function<List<Diversion>, List<Door>> doors,
    List<Door> operatorsDoors,
    Optional<Diversion> diversion) {
  public LoopExtension {
    operatorsDoors = List.copyOf(operatorsDoors);
  }

  /** An extension with a door for callers or services. */
  public static LoopExtension of(Door door) {
    return of(diversions -> door);
  }

  /** An extension with a door for callers or services that knows the diversions of all extensions. */
  public static LoopExtension of(Function<List<Diversion>, Door> door) {
    return new LoopExtension(
        diversions -> List.of(door.apply(diversions)), List.of(), Optional.empty());
  }

  /** An extension with doors for operators alone, or with none. */
  public static LoopExtension ofOperators(List<Door> doors) {
    return new LoopExtension(diversions -> List.of(), doors, Optional.empty());
  }

  /** The same with doors for operators. */
  public LoopExtension withOperatorsDoors(Door... added) {
    return new LoopExtension(doors, List.of(added), diversion);
  }

  /** The same with a diversion. */
  public LoopExtension with(Diversion other) {
    return new LoopExtension(doors, operatorsDoors, Optional.of(other));
  }
}
