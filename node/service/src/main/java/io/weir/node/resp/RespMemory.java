package io.weir.node.resp;

import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a node keeps for one connection: of commands that have no end yet, and of answers that wait for their
 * turn. Few are not counted. Mutable; owned by one event loop.
 */
final class RespMemory {
  private static final long FEW = 4 << 10;
  private static final String SERVICES = "(redis protocol)";

  private final Bulkhead memory;
  private final String network;
  private @Nullable Portion taken;

  /**
   * @param memory bytes of all requests of the node
   * @param network whose connections share a bound
   */
  RespMemory(Bulkhead memory, String network) {
    this.memory = memory;
    this.network = network;
  }

  /** Keeps so many bytes in place of those before; false if there is no memory for them. */
  boolean tryKeep(long bytes) {
    Portion before = taken;
    if (bytes <= FEW) {
      free();
      return true;
    }
    if (before != null && bytes > before.amount()) {
      return before.tryGrow(bytes - before.amount());
    }
    free();
    taken = memory.tryTake(network, SERVICES, bytes).orElse(null);
    return taken != null;
  }

  /** Keeps nothing any more. */
  void free() {
    if (taken != null) {
      taken.free();
      taken = null;
    }
  }
}
