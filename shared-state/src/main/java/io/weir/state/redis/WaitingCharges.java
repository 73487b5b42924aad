package io.weir.state.redis;

import io.weir.state.redis.wire.Lane;
import io.weir.state.redis.wire.PendingCharge;
import io.weir.throttle.StoreFault;
import io.weir.throttle.StoreUnavailableException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Charges that wait to be sent in one lane. Where more wait than one call carries, each tenant has its turn. Added to by any
 * thread; taken from on one event loop.
 */
final class WaitingCharges {
  private static final int MOST = 100_000;

  private final Lane lane;
  private final Queue<PendingCharge> came = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final FairQueue fair;
  private @Nullable PendingCharge leftOver;

  WaitingCharges(Lane lane) {
    this.lane = lane;
    this.fair = new FairQueue(lane.maxOfTenant());
  }

  /** Adds a charge; where too many wait, it fails, and false is given. */
  boolean add(PendingCharge pending) {
    if (count.incrementAndGet() > MOST) {
      refuse(pending);
      return false;
    }
    return came.add(pending);
  }

  int count() {
    return count.get();
  }

  /** The next one, which waits until {@link #took}; null where nobody waits. */
  @Nullable
  PendingCharge next() {
    PendingCharge first = leftOver;
    leftOver = null;
    if (first != null) {
      return first;
    }
    // Where all that waits fits into the next call, there is no need of turns.
    if (fair.isEmpty() && count.get() <= lane.maxCharges() && !lane.hasOthers()) {
      return came.poll();
    }
    takeTurns();
    return fair.poll();
  }

  /** It is no longer waiting. */
  void took() {
    count.decrementAndGet();
  }

  /** It goes first the next time. */
  void putBack(PendingCharge pending) {
    leftOver = pending;
  }

  private void takeTurns() {
    for (PendingCharge each = came.poll(); each != null; each = came.poll()) {
      if (!fair.add(each)) {
        refuse(each);
      }
    }
  }

  private void refuse(PendingCharge pending) {
    count.decrementAndGet();
    pending.completeExceptionally(new StoreUnavailableException(
        StoreFault.OVERLOADED, "Redis is behind: too many charges wait already", null));
  }
}
