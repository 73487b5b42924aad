package io.weir.node.extension;

import io.weir.node.gateway.Diversion;
import io.weir.node.intake.Door;
import java.util.List;
import java.util.Optional;

/**
 * The parts of an extension on one event loop.
 *
 * @param doors for callers and services
 * @param operatorsDoors for operators
 * @param diversion answers requests of some operations in place of the upstream
 */
public record LoopExtension(
    List<Door> doors, List<Door> operatorsDoors, Optional<Diversion> diversion) {
  public LoopExtension {
    doors = List.copyOf(doors);
    operatorsDoors = List.copyOf(operatorsDoors);
  }

  /** An extension with a door for callers or services. */
  public static LoopExtension of(Door door) {
    return new LoopExtension(List.of(door), List.of(), Optional.empty());
  }

  /** The same with a door for operators. */
  public LoopExtension withOperatorsDoor(Door door) {
    return new LoopExtension(doors, List.of(door), diversion);
  }

  /** The same with a diversion. */
  public LoopExtension with(Diversion other) {
    return new LoopExtension(doors, operatorsDoors, Optional.of(other));
  }
}
