package io.weir.state.keep;

import io.weir.core.throttle.Failures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Tells the shared state the end of a lease until it has heard it, for a bounded number of times and at most until the
 * lease has expired. The call must be one that counts once however often it is made. Safe for use by many threads.
 */
public final class RetriedCalls {
  private final LeaseTerms terms;
  private final LeaseTime time;
  private final Predicate<Throwable> isRepeated;

  /** @param isRepeated whether a call that failed in this way is made again */
  public RetriedCalls(LeaseTerms terms, LeaseTime time, Predicate<Throwable> isRepeated) {
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
  public <A> CompletionStage<A> call(Supplier<CompletionStage<A>> call, long leaseMicros) {
    return call(call, terms.mostTries(), untilNanos(leaseMicros));
  }

  /** Tells an end now; only the number of tries is bounded. */
  public <A> CompletionStage<A> call(Supplier<CompletionStage<A>> call) {
    return call(call, terms.mostTries(), Long.MAX_VALUE);
  }

  /** Tells an end after a pause, as the first call was not answered: it counts as one of the tries. */
  public <A> CompletionStage<A> callAgain(Supplier<CompletionStage<A>> call, long leaseMicros) {
    return later(call, terms.mostTries(), untilNanos(leaseMicros));
  }

  /** The same; only the number of tries is bounded. */
  public <A> CompletionStage<A> callAgain(Supplier<CompletionStage<A>> call) {
    return later(call, terms.mostTries(), Long.MAX_VALUE);
  }

  private long untilNanos(long leaseMicros) {
    return time.nanoTime() + TimeUnit.MICROSECONDS.toNanos(leaseMicros);
  }

  private <A> CompletionStage<A> call(
      Supplier<CompletionStage<A>> call, int tries, long untilNanos) {
    return call.get().exceptionallyCompose(error -> {
      Throwable cause = Failures.cause(error);
      return tries > 1 && time.nanoTime() < untilNanos && isRepeated.test(cause)
          ? later(call, tries, untilNanos)
          : CompletableFuture.failedFuture(cause);
    });
  }

  private <A> CompletionStage<A> later(
      Supplier<CompletionStage<A>> call, int tries, long untilNanos) {
    CompletableFuture<Void> pause = new CompletableFuture<>();
    time.after(terms.againMillis(), () -> pause.complete(null));
    return pause.thenCompose(over -> call(call, tries - 1, untilNanos));
  }
}
