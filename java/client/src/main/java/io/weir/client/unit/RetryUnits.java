package io.weir.client.unit;

import io.weir.client.retry.Attempt;
import io.weir.client.retry.Call;
import io.weir.client.retry.Retryer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Runs several calls that only make sense together, such as begin, put and commit of a segment: if one of them fails in
 * the chosen way, all are made again from the first. Each call may have its own retries below. Safe for use by many
 * threads.
 */
public final class RetryUnits {
  private final Retryer retryer;
  private final String upstream;
  private final Predicate<Throwable> chosen;

  /**
   * @param retryer decides the number of attempts and the waits between them; a {@code RetryLaterException} of one of
   *     the calls gives the wait
   * @param upstream the name under which they have a breaker and a budget
   * @param chosen the failures after which the unit is restarted
   */
  public RetryUnits(Retryer retryer, String upstream, Predicate<Throwable> chosen) {
    this.retryer = retryer;
    this.upstream = upstream;
    this.chosen = chosen;
  }

  /**
   * Runs a unit until it succeeds, fails otherwise than chosen, or has no attempt left. Cancelling the returned future
   * cancels the unit's stage, and the unit is not restarted; stages that it waits for are not cancelled.
   *
   * @param name the name in logs
   * @param unit makes its calls, each time from the first; it fails by failing its stage
   */
  public <T> CompletableFuture<T> retryUnit(String name, Supplier<CompletionStage<T>> unit) {
    return retryer.call(new UnitCall<>(name, upstream, chosen, unit));
  }

  /**
   * Runs units in parallel. They are independent: a failed unit does not affect the others, and finished ones stay
   * finished.
   *
   * @param atOnce the most units at a time, at least 1
   * @return the result of each, in their order
   */
  public <T> List<CompletableFuture<T>> retryUnits(
      String name, List<Supplier<CompletionStage<T>>> units, int atOnce) {
    if (atOnce < 1) {
      throw new IllegalArgumentException("atOnce: %d (expected: above 0)".formatted(atOnce));
    }
    List<CompletableFuture<T>> all =
        Stream.generate(() -> new CompletableFuture<T>()).limit(units.size()).toList();
    AtomicInteger next = new AtomicInteger();
    for (int i = 0; i < Math.min(atOnce, units.size()); i++) {
      runNext(name, units, all, next);
    }
    return all;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // they end with the result of the unit
  private <T> void runNext(
      String name,
      List<Supplier<CompletionStage<T>>> units,
      List<CompletableFuture<T>> all,
      AtomicInteger next) {
    int i = next.getAndIncrement();
    if (i >= units.size()) {
      return;
    }
    CompletableFuture<T> result = all.get(i);
    CompletableFuture<T> running = result.isDone()
        ? result
        : retryUnit("%s %d of %d".formatted(name, i + 1, units.size()), units.get(i));
    result.whenComplete((value, error) -> running.cancel(true));
    running.whenCompleteAsync((value, error) -> {
      if (error == null) {
        result.complete(value);
      } else {
        result.completeExceptionally(error);
      }
      runNext(name, units, all, next);
    });
  }

  private record UnitCall<T>(
      String name, String upstream, Predicate<Throwable> chosen, Supplier<CompletionStage<T>> unit)
      implements Call<T> {
    @Override
    public boolean isRepeatable() {
      return true;
    }

    @Override
    public boolean isTransient(Throwable failure) {
      return chosen.test(failure);
    }

    @Override
    public CompletionStage<T> send(Attempt attempt) {
      return unit.get();
    }
  }
}
