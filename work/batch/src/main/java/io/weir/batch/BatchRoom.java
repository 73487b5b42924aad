package io.weir.batch;

import io.weir.node.intake.Bulkhead;
import io.weir.node.room.LoopParts;
import io.weir.node.room.LoopRoom;
import io.weir.node.room.NodeParts;
import io.weir.node.room.OpenRoom;
import io.weir.node.room.Room;

/** Batches: several operations in one request, in order. */
public final class BatchRoom implements Room {
  @Override
  public String name() {
    return "batch";
  }

  @Override
  public OpenRoom open(NodeParts node) {
    return new Opened(node, new IdempotencyStore(node.redis()), new Bulkhead(16, 64, 128));
  }

  /**
   * The room of one node.
   *
   * @param batches that are running
   */
  private record Opened(NodeParts node, IdempotencyStore store, Bulkhead batches)
      implements OpenRoom {
    @Override
    public LoopRoom onLoop(LoopParts loop) {
      return LoopRoom.of(new BatchDoor(node, loop, store, batches));
    }
  }
}
