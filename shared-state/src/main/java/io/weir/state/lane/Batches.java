package io.weir.state.lane;

import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.wire.Batch;
import io.weir.state.wire.Lane;
import io.weir.state.wire.PendingCharge;
import java.util.ArrayDeque;
import java.util.Queue;

/** Fills batches of one lane with the charges that wait, and reuses them. Mutable; owned by one event loop. */
final class Batches {
  private final Lane lane;
  private final String policy;
  private final Templates templates;
  private final WaitingCharges waiting;
  private final RedisClock clock;
  private final long timeoutNanos;
  private final Queue<Batch> idle = new ArrayDeque<>();

  /** @param timeoutNanos after which a charge that waits is not sent any more */
  Batches(PartLink part, Lane lane, WaitingCharges waiting, RedisClock clock, long timeoutNanos) {
    this.lane = lane;
    this.policy = part.policy();
    this.templates = part.templates();
    this.waiting = waiting;
    this.clock = clock;
    this.timeoutNanos = timeoutNanos;
  }

  /** A batch with as many of the waiting charges as it has room for; empty if none waits. */
  Batch next() {
    Batch recycled = idle.poll();
    Batch batch = recycled == null ? new Batch(lane, policy) : recycled;
    batch.begin(templates.nextBatch());
    long now = System.nanoTime();
    PendingCharge pending = waiting.next();
    while (pending != null && add(batch, pending, now)) {
      pending = waiting.next();
    }
    return batch;
  }

  /** Takes back a batch that is not used any more. */
  void reuse(Batch batch) {
    idle.add(batch);
  }

  // An error of one charge completes that charge and does not affect the others.
  private boolean add(Batch batch, PendingCharge pending, long nowNanos) {
    int weight = 0;
    try {
      if (nowNanos - pending.askedNanos() > timeoutNanos) {
        pending.completeExceptionally(new StoreUnavailableException(
            StoreFault.OVERLOADED, "Redis is behind: a charge waited too long", null));
      } else {
        weight = templates.add(pending, batch, lane, clock);
      }
    } catch (RuntimeException e) {
      pending.completeExceptionally(
          new StoreUnavailableException(StoreFault.DATA, "the charge cannot be sent: " + e, e));
    }
    if (weight == Batch.FULL) {
      waiting.putBack(pending);
      return false;
    }
    waiting.took(pending, weight);
    return true;
  }
}
