package io.weir.node.admin;

import io.vertx.core.Vertx;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Door;
import java.util.List;

/** The doors for the policy of the cluster. */
public final class PolicyDoors {
  private PolicyDoors() {}

  /**
   * The doors of one event loop.
   *
   * @param memory bytes of bodies
   */
  public static List<Door> of(Vertx vertx, PolicyAdmin desk, Operators operators, Bulkhead memory) {
    return List.of(
        new PolicyResource(vertx, desk, operators, memory),
        new PolicyRevisions(vertx, desk, operators, memory));
  }
}
