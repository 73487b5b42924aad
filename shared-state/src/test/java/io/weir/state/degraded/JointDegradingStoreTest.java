package io.weir.state.degraded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.JointCharge;
import io.weir.core.throttle.JointStore;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.inmemory.InMemoryBucketStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class JointDegradingStoreTest {
  private static final List<Demand> TEN =
      List.of(Demand.of(new Bucket("ten", Scope.KEY, 10_000, 1000)));
  private static final List<Demand> FOUR =
      List.of(Demand.of(new Bucket("four", Scope.KEY, 4000, 1000)));

  private final AtomicLong nanos = new AtomicLong(1);
  private final Outages outages = new Outages(1, part -> new CompletableFuture<>());
  private final DegradingStore single = new DegradingStore(
      new InMemoryBucketStore(() -> nanos.get() / 1000),
      outages,
      charge -> 0,
      () -> 1,
      nanos::get,
      true);
  private @Nullable StoreFault fault = StoreFault.SLOW;
  private boolean admits = true;
  private final JointStore store = new JointDegradingStore(this::decide, single);

  // In place of the shared state.
  private CompletableFuture<List<StoreAnswer>> decide(JointCharge joint) {
    return fault != null
        ? CompletableFuture.failedFuture(new StoreUnavailableException(fault, "test", null))
        : CompletableFuture.completedFuture(joint.charges().stream()
            .<StoreAnswer>map(charge -> new Decided(decision(charge), QueueReport.NONE))
            .toList());
  }

  private Decision decision(Charge charge) {
    return admits
        ? new Allowed(charge.revision(), List.of())
        : Denied.degraded(charge.revision(), List.of("four"), 1);
  }

  @Test
  void anOutageIsAsTheFailureModeSays() {
    assertThat(together(FailureMode.ALLOW, 100, 100))
        .allMatch(decision -> decision instanceof Allowed && decision.degraded());
    assertThatThrownBy(() -> together(FailureMode.DENY, 1, 1))
        .hasCauseInstanceOf(StoreUnavailableException.class);
  }

  @ParameterizedTest
  @EnumSource(
      value = StoreFault.class,
      names = {"UNREACHABLE", "SLOW"},
      mode = EnumSource.Mode.EXCLUDE)
  void aFaultThatIsNoOutageAdmitsNoRequest(StoreFault other) {
    fault = other;
    for (FailureMode mode : FailureMode.values()) {
      assertThatThrownBy(() -> together(mode, 1, 1))
          .hasCauseInstanceOf(StoreUnavailableException.class);
    }
  }

  @Test
  void aNodeAloneTakesFromAllSharesOrFromNone() {
    fillShares();
    assertThat(together(FailureMode.LOCAL, 3, 3)).allMatch(Allowed.class::isInstance);
    List<Decision> refused = together(FailureMode.LOCAL, 3, 3);
    assertThat(refused.get(0)).isInstanceOf(Allowed.class);
    assertThat(refused.get(1)).isInstanceOf(Denied.class);
    // Seven of ten are left: the refused ones took none.
    assertThat(together(FailureMode.LOCAL, 7, 1)).allMatch(Allowed.class::isInstance);
    assertThat(together(FailureMode.LOCAL, 1, 1)).noneMatch(Allowed.class::isInstance);
  }

  @Test
  void afterAnOutageTheShareHasToAgreeAndKeepsNothingOfWhatIsRefused() {
    fillShares();
    assertThat(together(FailureMode.LOCAL, 4, 4)).allMatch(Allowed.class::isInstance);
    fault = null;
    assertThat(together(FailureMode.LOCAL, 1, 1).get(1)).isInstanceOf(Denied.class);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(500)); // two of four have drained
    admits = false;
    for (int i = 0; i < 5; i++) {
      assertThat(together(FailureMode.LOCAL, 1, 1).get(0)).isInstanceOf(Denied.class);
    }
    admits = true;
    assertThat(together(FailureMode.LOCAL, 1, 2)).allMatch(Allowed.class::isInstance);
    assertThat(together(FailureMode.LOCAL, 1, 1).get(1)).isInstanceOf(Denied.class);
  }

  // A share begins with room for one, as nothing is known of its bucket.
  private void fillShares() {
    assertThat(together(FailureMode.LOCAL, 1, 1)).allMatch(Allowed.class::isInstance);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
  }

  private List<Decision> together(FailureMode mode, long ofTen, long ofFour) {
    JointCharge joint =
        new JointCharge(List.of(charge("a", TEN, ofTen, mode), charge("b", FOUR, ofFour, mode)));
    return store.tryAll(joint).toCompletableFuture().join().stream()
        .map(answer -> ((Decided) answer).decision())
        .toList();
  }

  private static Charge charge(String subject, List<Demand> demands, long cost, FailureMode mode) {
    return new Charge("acme", subject, 1, Amount.ofRates(demands, cost), Queueing.NONE, mode);
  }
}
