package io.weir.node.lease;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Tells the shared state the end of a lease until it has heard it, for a bounded number of times and at most until the
 * lease has expired. The call must be one that counts once however often it is made. Safe for use by many threads.
 */
public final class UntilHeard {
  private final LeaseTerms terms;
  private final LeaseTime time;
  private final Predicate<Throwable> isRepeated;

  /** @param isRepeated whether a call that failed in this way is made again */
  public UntilHeard(LeaseTerms terms, LeaseTime time, Predicate<Throwable> isRepeated) {
    this.terms = terms;
    this.time = time;
    this.isRepeated = isRepeated;
  }

  /**
   * Tells an end now.
   *
   * @param leaseMicros the longest time until the lease has expired
   * @return the answer, or the last failure
   */
  public <A> Future<A> tell(Supplier<Future<A>> call, long leaseMicros) {
    return tell(call, terms.mostTries(), untilNanos(leaseMicros));
  }

  /** Tells an end now; only the number of tries is bounded. */
  public <A> Future<A> tell(Supplier<Future<A>> call) {
    return tell(call, terms.mostTries(), Long.MAX_VALUE);
  }

  /** Tells an end after a pause, as the first call was not answered: it counts as one of the tries. */
  public <A> Future<A> tellAgain(Supplier<Future<A>> call, long leaseMicros) {
    return later(call, terms.mostTries(), untilNanos(leaseMicros));
  }

  /** The same; only the number of tries is bounded. */
  public <A> Future<A> tellAgain(Supplier<Future<A>> call) {
    return later(call, terms.mostTries(), Long.MAX_VALUE);
  }

  private long untilNanos(long leaseMicros) {
    return time.nanoTime() + TimeUnit.MICROSECONDS.toNanos(leaseMicros);
  }

  private <A> Future<A> tell(Supplier<Future<A>> call, int tries, long untilNanos) {
    return call.get()
        .recover(error -> tries > 1 && time.nanoTime() < untilNanos && isRepeated.test(error)
            ? later(call, tries, untilNanos)
            : Future.failedFuture(error));
  }

  private <A> Future<A> later(Supplier<Future<A>> call, int tries, long untilNanos) {
    Promise<A> told = Promise.promise();
    time.after(terms.againMillis(), () -> tell(call, tries - 1, untilNanos).onComplete(told));
    return told.future();
  }
}
