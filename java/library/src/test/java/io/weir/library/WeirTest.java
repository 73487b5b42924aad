package io.weir.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.HoldNeededException;
import io.weir.core.throttle.UnknownSubjectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The limits of one program, in its memory. */
final class WeirTest {
  private static final String POLICY = """
      buckets:
        - { name: slow, burstPeriod: 2, throttleGroups: [{ opsPerSec: 1, operations: [Slow] }] }
        - { name: quick, burstPeriodMs: 100, throttleGroups: [{ opsPerSec: 10, operations: [Quick] }] }
        - { name: tokens, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Chat] }] }
      permits:
        - { name: streams, limit: 2, operations: [Stream] }
      operations: [{ name: Stream }]
      subjects: { k1: { tenant: acme }, k2: { tenant: acme } }
      """;

  private final Weir weir = Weir.inMemory(POLICY);

  @AfterEach
  void close() {
    weir.close();
  }

  @Test
  void aLimitHoldsAndADenialSaysWhenToComeBack() {
    assertThat(weir.blocking().tryAcquire("k1", "Slow", 2)).isInstanceOf(Allowed.class);
    Denied denied = (Denied) weir.blocking().tryAcquire("k1", "Slow");
    assertThat(denied.full()).containsExactly("slow");
    assertThat(denied.retryAfter()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(2));
    assertThat(denied.ticket()).isPresent();
    assertThat(weir.blocking().tryAcquire("k2", "Slow")).isInstanceOf(Allowed.class);
  }

  @Test
  void whoWaitsGetsItsSlotAndNobodyWaitsInVain() throws Exception {
    List<CompletableFuture<Decision>> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(weir.acquire(AcquireRequest.of("k1", "Quick"), Duration.ofMinutes(1)));
    }
    for (CompletableFuture<Decision> one : all) {
      assertThat(one.get(1, TimeUnit.MINUTES)).isInstanceOf(Allowed.class);
    }
    weir.blocking().tryAcquire("k1", "Slow", 2);
    assertThat(
            weir.blocking().acquire(AcquireRequest.of("k1", "Slow").cost(2), Duration.ofMillis(1)))
        .isInstanceOf(Denied.class);
    assertThat(weir.waiting()).isZero();
  }

  @Test
  void waitsEndWithTheProgramAndWithTheirCallers() {
    weir.blocking().tryAcquire("k1", "Slow", 2);
    CompletableFuture<Decision> waiting =
        weir.acquire(AcquireRequest.of("k1", "Slow").cost(2), Duration.ofMinutes(1));
    assertThat(weir.waiting()).isEqualTo(1);
    weir.close();
    assertThatThrownBy(waiting::join).isInstanceOf(CancellationException.class);
    assertThat(weir.waiting()).isZero();
  }

  @Test
  void permitsAreFreeAgainWhenTheyAreClosed() {
    assertThatThrownBy(() -> weir.blocking().tryAcquire("k1", "Stream"))
        .isInstanceOf(HoldNeededException.class);
    try (Hold one = weir.blocking().enter(AcquireRequest.of("k1", "Stream"));
        Hold two = weir.blocking().enter(AcquireRequest.of("k1", "Stream"));
        Hold third = weir.blocking().enter(AcquireRequest.of("k1", "Stream"))) {
      assertThat(one.isAllowed()).isTrue();
      assertThat(two.isAllowed()).isTrue();
      assertThat(third.isAllowed()).isFalse();
      assertThat(weir.open()).isEqualTo(2);
    }
    assertThat(weir.open()).isZero();
    try (Hold again = weir.blocking().enter(AcquireRequest.of("k1", "Stream"))) {
      assertThat(again.isAllowed()).isTrue();
    }
  }

  @Test
  void whatIsReservedIsSettledOnce() {
    Hold hold = weir.blocking().reserve(AcquireRequest.of("k1", "Chat").cost(80));
    assertThat(hold.isReserved()).isTrue();
    assertThat(hold.settle(10)).isCompletedWithValue(new Ended(Ended.Status.SETTLED, false, 10));
    assertThat(hold.settle(50).toCompletableFuture().join().isRepeated()).isTrue();
    assertThat(weir.blocking().tryAcquire("k1", "Chat", 90)).isInstanceOf(Allowed.class);
    assertThat(weir.blocking().tryAcquire("k1", "Chat", 80)).isInstanceOf(Denied.class);
  }

  // Records are known to nodes only; else one would come between the two.
  @Test
  void aSubjectIsFoundWhereThePolicyListsItAndThenByItsRules() {
    String policy = """
        buckets: [{ name: slow, burstPeriod: 2, throttleGroups: [{ opsPerSec: 1, operations: [Slow] }] }]
        subjects:
          - { match: "k*", tenant: acme }
          - { id: k1, tenant: acme, frozen: true }
        """;
    try (Weir ruled = Weir.inMemory(policy)) {
      assertThat(ruled.blocking().tryAcquire("k1", "Slow")).isInstanceOf(NeverAllowed.class);
      assertThat(ruled.blocking().tryAcquire("k2", "Slow")).isInstanceOf(Allowed.class);
      assertThatThrownBy(() -> ruled.blocking().tryAcquire("other", "Slow"))
          .isInstanceOf(UnknownSubjectException.class);
    }
  }

  @Test
  void aProgramMayTakeWhatIsLeft() {
    AcquireRequest wants = AcquireRequest.of("k1", "Slow").cost(50).atLeast(1);
    Decision admitted = weir.blocking().tryAcquire(wants);
    assertThat(admitted).isInstanceOf(Allowed.class);
    assertThat(admitted.remarks().granted()).hasValue(2);
    assertThat(weir.blocking().tryAcquire(wants)).isInstanceOf(Denied.class);
    Hold streams =
        weir.blocking().enter(AcquireRequest.of("k1", "Stream").cost(9).atLeast(1));
    assertThat(streams.isAllowed()).isTrue();
    assertThat(streams.decision().remarks().granted()).isPresent();
    assertThatThrownBy(() -> AcquireRequest.of("k1", "Slow").atLeast(1))
        .hasMessage("atLeast: 1 (expected: 1 to the cost of the request)");
    assertThatThrownBy(() -> wants.cost(2).atLeast(3)).hasMessageContaining("atLeast: 3");
  }

  @Test
  void errorsSayWhatIsWrong() {
    assertThatThrownBy(() -> weir.blocking().tryAcquire("nobody", "Slow"))
        .isInstanceOf(UnknownSubjectException.class)
        .hasMessageContaining("nobody");
    assertThatThrownBy(() -> weir.tryAcquire("k1", "Slow", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cost: 0");
    assertThatThrownBy(() -> Weir.inMemory("buckets: 1"))
        .isInstanceOf(InvalidPolicyException.class);
  }

  @Test
  void whoGivesUpLeavesNothingBehind() {
    CompletableFuture<Hold> first =
        weir.enter(AcquireRequest.of("k1", "Stream")).toCompletableFuture();
    assertThat(first.join().isAllowed()).isTrue();
    weir.blocking().tryAcquire("k1", "Slow", 2);
    List<CompletableFuture<Decision>> given = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Decision> one =
          weir.acquire(AcquireRequest.of("k1", "Slow"), Duration.ofHours(1));
      one.cancel(false);
      given.add(one);
    }
    assertThat(given).allMatch(CompletableFuture::isCancelled);
    assertThat(weir.waiting()).isZero();
    first.join().close();
    assertThat(weir.open()).isZero();
  }

  @Test
  void aClosedWeirSaysSo() {
    weir.close();
    weir.close();
    assertThatThrownBy(() -> weir.tryAcquire("k1", "Slow"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> weir.enter(AcquireRequest.of("k1", "Stream")))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(weir.acquire(AcquireRequest.of("k1", "Slow"), Duration.ofHours(1))::join)
        .isInstanceOf(CancellationException.class);
  }

  @Test
  void aDeadlineOfAnySizeIsTaken() {
    weir.blocking().tryAcquire("k1", "Slow", 2);
    assertThat(weir.acquire(AcquireRequest.of("k1", "Slow"), Duration.ofSeconds(Long.MIN_VALUE))
            .join())
        .isInstanceOf(Denied.class);
    CompletableFuture<Decision> waits =
        weir.acquire(AcquireRequest.of("k1", "Slow"), Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(waits).isNotDone();
  }
}
