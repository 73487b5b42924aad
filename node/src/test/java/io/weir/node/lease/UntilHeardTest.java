package io.weir.node.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ends that the shared state does not hear at once, by a clock that only the test moves. */
final class UntilHeardTest {
  private static final long LEASE_MICROS = 2_000_000;
  private static final int OFTEN = 1_000_000;

  private final ManualLeaseTime time = new ManualLeaseTime();
  private final List<Long> told = new ArrayList<>();
  private int unheard;

  private Future<String> call() {
    told.add(time.nanoTime() / 1_000_000);
    return told.size() <= unheard
        ? Future.failedFuture(new IllegalStateException("away " + told.size()))
        : Future.succeededFuture("heard");
  }

  private UntilHeard ends(LeaseTerms terms) {
    return new UntilHeard(terms, time, error -> error instanceof IllegalStateException);
  }

  @Test
  void anAcknowledgedEndIsSentOnce() {
    Future<String> end = ends(LeaseTerms.HOLD).tell(this::call, LEASE_MICROS);
    assertThat(end.result()).isEqualTo("heard");
    assertThat(told).containsExactly(0L);
    assertThat(time.isAwaited()).isFalse();
  }

  @Test
  void anEndIsRepeatedAfterAPauseUntilItIsAcknowledged() {
    unheard = 2;
    Future<String> end = ends(LeaseTerms.JOB).tell(this::call);
    time.pass(OFTEN);
    assertThat(told).containsExactly(0L, 500L, 1000L);
    assertThat(end.result()).isEqualTo("heard");
  }

  @Test
  void anEndIsSentABoundedNumberOfTimes() {
    unheard = OFTEN;
    Future<String> end = ends(LeaseTerms.JOB).tell(this::call);
    time.pass(OFTEN);
    assertThat(told).hasSize(60);
    assertThat(end.cause()).hasMessage("away 60");
    assertThat(time.isAwaited()).isFalse();
  }

  @Test
  void noEndIsSentOnceTheLeaseHasExpired() {
    unheard = OFTEN;
    Future<String> end = ends(LeaseTerms.HOLD).tell(this::call, LEASE_MICROS);
    time.pass(OFTEN);
    assertThat(told).containsExactly(0L, 500L, 1000L, 1500L, 2000L);
    assertThat(end.cause()).hasMessage("away 5");
  }

  @Test
  void aFailureThatTimeDoesNotMendIsNotRepeated() {
    Future<String> end = ends(LeaseTerms.JOB).tell(() -> {
      call();
      return Future.failedFuture(new UnsupportedOperationException("wrong"));
    });
    time.pass(OFTEN);
    assertThat(told).hasSize(1);
    assertThat(end.cause()).hasMessage("wrong");
  }

  @Test
  void anEndThatWasSentBeforeIsRepeatedAfterThePause() {
    unheard = OFTEN;
    Future<String> end = ends(LeaseTerms.ITEM).tellAgain(this::call, LEASE_MICROS);
    assertThat(told).isEmpty();
    time.pass(OFTEN);
    assertThat(told).containsExactly(1000L);
    assertThat(end.failed()).isTrue();
  }
}
