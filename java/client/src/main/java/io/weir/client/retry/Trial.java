package io.weir.client.retry;

import io.weir.client.retry.CallOutcome.Standing;
import java.util.concurrent.atomic.AtomicBoolean;

/** The permission for one attempt; the first outcome settles it. Mutable; safe for use by many threads. */
final class Trial {
  private final Upstream upstream;
  private final int generation;
  private final long sentNanos;
  private final AtomicBoolean isSettled = new AtomicBoolean();

  /** @param generation the number of changes of the breaker before this permit */
  Trial(Upstream upstream, int generation, long sentNanos) {
    this.upstream = upstream;
    this.generation = generation;
    this.sentNanos = sentNanos;
  }

  /** Reports the outcome; later calls do nothing. */
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
