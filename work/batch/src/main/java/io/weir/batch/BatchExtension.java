package io.weir.batch;

import io.weir.node.extension.Extension;
import io.weir.node.extension.LoopExtension;
import io.weir.node.extension.LoopParts;
import io.weir.node.extension.NodeBase;
import io.weir.node.extension.OpenExtension;
import io.weir.node.intake.Bulkhead;

/** Batches: several operations in one request, in order. */
public final class BatchExtension implements Extension {
  @Override
  public String name() {
    return "batch";
  }

  @Override
  public OpenExtension open(NodeBase node) {
    return new Opened(new IdempotencyStore(node.connections().redis()), new Bulkhead(16, 64, 128));
  }

  /**
   * The extension of one node.
   *
   * @param batches that are running
   */
  private record Opened(IdempotencyStore store, Bulkhead batches) implements OpenExtension {
    @Override
    public LoopExtension onLoop(LoopParts loop) {
      return LoopExtension.of(diversions -> new BatchDoor(loop, diversions, store, batches));
    }
  }
}
