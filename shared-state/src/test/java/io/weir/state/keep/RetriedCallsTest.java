package io.weir.state.keep;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Ends that the shared state does not hear at once, by a clock that only the test moves. */
final class RetriedCallsTest {
  private static final long LEASE_MICROS = 2_000_000;
  private static final int OFTEN = 1_000_000;

  private final ManualLeaseTime time = new ManualLeaseTime();
  private final List<Long> told = new ArrayList<>();
  private int unheard;

  private CompletionStage<String> call() {
    told.add(time.nanoTime() / 1_000_000);
    return told.size() <= unheard
        ? CompletableFuture.failedFuture(new IllegalStateException("away " + told.size()))
        : CompletableFuture.completedFuture("heard");
  }

  private RetriedCalls ends(LeaseTerms terms) {
    return new RetriedCalls(terms, time, error -> error instanceof IllegalStateException);
  }

  @Test
  void anAcknowledgedEndIsSentOnce() {
    CompletableFuture<String> end =
        ends(LeaseTerms.HOLD).call(this::call, LEASE_MICROS).toCompletableFuture();
    assertThat(end).isCompletedWithValue("heard");
    assertThat(told).containsExactly(0L);
    assertThat(time.isAwaited()).isFalse();
  }

  @Test
  void anEndIsRepeatedAfterAPauseUntilItIsAcknowledged() {
    unheard = 2;
    CompletableFuture<String> end = ends(LeaseTerms.JOB).call(this::call).toCompletableFuture();
    time.pass(OFTEN);
    assertThat(told).containsExactly(0L, 500L, 1000L);
    assertThat(end).isCompletedWithValue("heard");
  }

  @Test
  void anEndIsSentABoundedNumberOfTimes() {
    unheard = OFTEN;
    CompletableFuture<String> end = ends(LeaseTerms.JOB).call(this::call).toCompletableFuture();
    time.pass(OFTEN);
    assertThat(told).hasSize(60);
    assertThat(end)
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("away 60");
    assertThat(time.isAwaited()).isFalse();
  }

  @Test
  void noEndIsSentOnceTheLeaseHasExpired() {
    unheard = OFTEN;
    CompletableFuture<String> end =
        ends(LeaseTerms.HOLD).call(this::call, LEASE_MICROS).toCompletableFuture();
    time.pass(OFTEN);
    assertThat(told).containsExactly(0L, 500L, 1000L, 1500L, 2000L);
    assertThat(end)
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("away 5");
  }

  @Test
  void aFailureThatTimeDoesNotMendIsNotRepeated() {
    CompletableFuture<String> end = ends(LeaseTerms.JOB)
        .call(() -> {
          call();
          return CompletableFuture.<String>failedFuture(new UnsupportedOperationException("wrong"));
        })
        .toCompletableFuture();
    time.pass(OFTEN);
    assertThat(told).hasSize(1);
    assertThat(end)
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("wrong");
  }

  @Test
  void anEndThatWasSentBeforeIsRepeatedAfterThePause() {
    unheard = OFTEN;
    CompletableFuture<String> end =
        ends(LeaseTerms.ITEM).callAgain(this::call, LEASE_MICROS).toCompletableFuture();
    assertThat(told).isEmpty();
    time.pass(OFTEN);
    assertThat(told).containsExactly(1000L);
    assertThat(end).isCompletedExceptionally();
  }
}
