package io.weir.state.degraded;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.policy.FailureMode;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.inmemory.InMemoryBucketStore;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A shared state that stops and resumes: it decides then on the charges that have not timed out. */
final class StoppedStateTest {
  private static final int TIMEOUT_MILLIS = 250;
  private static final int EVERY_MILLIS = 3000;
  private static final int MILLIS = 10_000;
  private static final List<Demand> DEMANDS =
      List.of(Demand.of(new Bucket("requests", Scope.KEY, 100_000, 1000)));

  private final AtomicLong nanos = new AtomicLong();
  private final BucketStore memory = new InMemoryBucketStore(() -> nanos.get() / 1000);
  private final Queue<Waiting> waiting = new ArrayDeque<>();
  private boolean isStopped;
  private int admitted;
  private final DegradingStore store = new DegradingStore(
      new BucketStore() {
        @Override
        public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
          Waiting one = new Waiting(charge, nanos.get(), new CompletableFuture<>());
          waiting.add(one);
          return one.answer();
        }

        @Override
        public CompletionStage<StoreAnswer> peek(Charge charge) {
          return memory.peek(charge);
        }
      },
      new Outages(1, part -> new CompletableFuture<>()),
      charge -> 0,
      () -> 1,
      nanos::get,
      true);

  private record Waiting(Charge charge, long sinceNanos, CompletableFuture<StoreAnswer> answer) {}

  @ParameterizedTest
  @CsvSource({"100, 1", "300, 1", "300, 5", "700, 1", "1100, 3", "1500, 1", "1500, 10"})
  void chargesInFlightWhenItResumesAreNotAdmittedBesidesThoseOfTheNode(int stop, int cost) {
    for (int i = 0; i < MILLIS; i++) {
      isStopped = i % EVERY_MILLIS >= EVERY_MILLIS - stop;
      ask(cost);
      answer();
      nanos.addAndGet(MILLISECONDS.toNanos(1));
    }
    // The burst of a second, and what drains in ten.
    assertThat(admitted).isBetween(900, 100 + MILLIS / 10);
  }

  private void ask(int cost) {
    Charge charge = new Charge(
        "acme", "k1", 1, Amount.ofRates(DEMANDS, cost), Queueing.NONE, FailureMode.LOCAL);
    store.tryCharge(charge).whenComplete((answer, error) -> {
      boolean isAdmitted =
          answer instanceof Decided decided && decided.decision() instanceof Allowed;
      admitted += isAdmitted ? cost : 0;
    });
  }

  private void answer() {
    for (Waiting one = waiting.peek(); one != null; one = waiting.peek()) {
      boolean isLate = nanos.get() - one.sinceNanos() > MILLISECONDS.toNanos(TIMEOUT_MILLIS);
      if (isStopped && !isLate) {
        return;
      }
      waiting.remove();
      if (isLate) {
        one.answer()
            .completeExceptionally(new StoreUnavailableException(StoreFault.SLOW, "stopped", null));
      } else {
        one.answer()
            .complete(memory.tryCharge(one.charge()).toCompletableFuture().join());
      }
    }
  }
}
