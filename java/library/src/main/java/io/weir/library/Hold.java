package io.weir.library;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ended.Status;
import io.weir.core.throttle.Ending;
import io.weir.state.hold.HeldDecision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A request under way: what it holds is renewed until it ends, and free again from then on. The first end counts. A
 * request that was not allowed holds nothing, and its end does nothing. Safe for use by many threads; never blocks.
 */
public final class Hold implements AutoCloseable {
  private final HeldDecision request;
  private final AtomicBoolean isEnded = new AtomicBoolean();

  Hold(HeldDecision request) {
    this.request = request;
  }

  /** The decision on the request. */
  public Decision decision() {
    return request.decision();
  }

  /** Whether the request may run. */
  public boolean isAllowed() {
    return decision() instanceof Allowed;
  }

  /** Whether the final cost can be told: something was reserved. */
  public boolean isReserved() {
    return request.reserves();
  }

  /**
   * Ends the request at what it has cost in the end: a smaller cost gives the rest back, a larger one is owed.
   *
   * @param cost in operations, at least 0
   * @return completes when the end is stored; exceptionally with a {@link
   *     io.weir.core.throttle.StoreUnavailableException} if it could not be until the hold had expired
   */
  public CompletionStage<Ended> settle(long cost) {
    if (cost < 0) {
      throw new IllegalArgumentException("cost: %d (expected: >= 0)".formatted(cost));
    }
    return end(new Ending.Settled(cost));
  }

  /** Ends a request for which nothing was done: everything is given back. */
  public CompletionStage<Ended> cancel() {
    return end(new Ending.Cancelled());
  }

  /** Ends the request at the cost that it was admitted with; without effect if it has ended. */
  @Override
  public void close() {
    CompletionStage<Ended> unused =
        end(isReserved() ? new Ending.Settled(Ending.AS_RESERVED) : new Ending.Cancelled());
  }

  private CompletionStage<Ended> end(Ending ending) {
    return isEnded.compareAndSet(false, true)
        ? request.end(ending)
        : CompletableFuture.completedFuture(new Ended(Status.RELEASED, true, 0));
  }
}
