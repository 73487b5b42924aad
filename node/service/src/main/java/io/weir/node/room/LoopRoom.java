package io.weir.node.room;

import io.weir.node.gateway.Diversion;
import io.weir.node.intake.Door;
import io.weir.node.upstream.Turns;
import java.util.List;
import java.util.Optional;

/**
 * The parts of a room on one event loop.
 *
 * @param doors for callers and services
 * @param operatorsDoors for operators
 * @param diversion answers requests of some operations in place of the upstream
 * @param turns gives turns at the destinations that have a name; at most one room does
 */
public record LoopRoom(
    List<Door> doors,
    List<Door> operatorsDoors,
    Optional<Diversion> diversion,
    Optional<Turns> turns) {
  public LoopRoom {
    doors = List.copyOf(doors);
    operatorsDoors = List.copyOf(operatorsDoors);
  }

  /** A room with a door for callers or services. */
  public static LoopRoom of(Door door) {
    return new LoopRoom(List.of(door), List.of(), Optional.empty(), Optional.empty());
  }

  /** The same with a door for operators. */
  public LoopRoom withOperatorsDoor(Door door) {
    return new LoopRoom(doors, List.of(door), diversion, turns);
  }

  /** The same with a diversion. */
  public LoopRoom with(Diversion other) {
    return new LoopRoom(doors, operatorsDoors, Optional.of(other), turns);
  }

  /** The same with turns. */
  public LoopRoom with(Turns other) {
    return new LoopRoom(doors, operatorsDoors, diversion, Optional.of(other));
  }
}
