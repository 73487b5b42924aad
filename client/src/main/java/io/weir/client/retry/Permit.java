package io.weir.client.retry;

import io.weir.client.retry.Outcome.Standing;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * That one sending may go out; it is settled once, by what came of it first. Mutable; safe for use by many
 * threads.
 */
final class Permit {
  private final Upstream upstream;
  private final int generation;
  private final long sentNanos;
  private final AtomicBoolean isSettled = new AtomicBoolean();

  /** @param generation how often the breaker had changed when it was given */
  Permit(Upstream upstream, int generation, long sentNanos) {
    this.upstream = upstream;
    this.generation = generation;
    this.sentNanos = sentNanos;
  }

  /** Tells what came of it; later ones tell nothing. */
  void settle(Standing standing) {
    if (isSettled.compareAndSet(false, true)) {
      upstream.settled(this, standing);
    }
  }

  int generation() {
    return generation;
  }

  long sentNanos() {
    return sentNanos;
  }
}
