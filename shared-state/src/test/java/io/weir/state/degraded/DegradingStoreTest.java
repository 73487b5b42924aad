package io.weir.state.degraded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.policy.FailureMode;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Cost;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.inmemory.InMemoryBucketStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class DegradingStoreTest {
  private static final Demand HUNDRED = Demand.of(new Bucket("requests", Scope.KEY, 100_000, 1000));
  // One list, as a policy has it: the last levels are kept by its identity.
  private static final List<Demand> DEMANDS = List.of(HUNDRED);

  private final AtomicLong nanos = new AtomicLong();
  private final BucketStore memory = new InMemoryBucketStore(() -> nanos.get() / 1000);
  private final Outages outages = new Outages(1, part -> new CompletableFuture<>());
  private @Nullable StoreFault fault;
  private int asked;
  private final DegradingStore store = new DegradingStore(
      new BucketStore() {
        @Override
        public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
          asked++;
          return fault == null
              ? memory.tryCharge(charge)
              : CompletableFuture.failedFuture(new StoreUnavailableException(fault, "test", null));
        }

        @Override
        public CompletionStage<StoreAnswer> peek(Charge charge) {
          return memory.peek(charge);
        }
      },
      outages,
      charge -> 0,
      () -> 1,
      nanos::get,
      true);

  @ParameterizedTest
  @EnumSource(
      value = StoreFault.class,
      names = {"UNREACHABLE", "SLOW"},
      mode = EnumSource.Mode.EXCLUDE)
  void aFaultThatIsNoOutageAdmitsNoRequest(StoreFault other) {
    fault = other;
    for (FailureMode mode : FailureMode.values()) {
      assertThatThrownBy(() -> decide(mode)).hasCauseInstanceOf(StoreUnavailableException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = StoreFault.class,
      names = {"UNREACHABLE", "SLOW"})
  void inAnOutageEachPlanCounts(StoreFault outage) {
    fault = outage;
    assertThat(decide(FailureMode.ALLOW)).isEqualTo(new Allowed(1, List.of(), true));
    assertThat(decide(FailureMode.LOCAL).degraded()).isTrue();
    assertThatThrownBy(() -> decide(FailureMode.DENY))
        .hasCauseInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void onceItIsKnownToBeAwayItIsNotAsked() {
    fault = StoreFault.UNREACHABLE;
    for (int i = 0; i < 10; i++) {
      decide(FailureMode.LOCAL);
      outages.observer(0).ended(false);
    }
    int before = asked;
    for (int i = 0; i < 100; i++) {
      decide(FailureMode.LOCAL);
    }
    assertThat(asked).isEqualTo(before);
    assertThat(before).isLessThanOrEqualTo(10);
  }

  // Some calls fail, too few for an outage: the admissions of this node and those of the shared
  // state together stay within the limit.
  @Test
  void wherePartOfTheCallsFailsTheLimitIsNotAdmittedTwice() {
    int admitted = 0;
    int millis = 10_000;
    for (int i = 0; i < millis; i++) {
      fault = i % 3 == 0 ? StoreFault.SLOW : null;
      admitted += decide(FailureMode.LOCAL) instanceof Allowed ? 1 : 0;
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    }
    assertThat(admitted).isBetween(900, 100 + 50 + millis / 10);
  }

  // The buckets of the shared state have drained meanwhile: local admissions are reported to them.
  @Test
  void afterAnOutageNoBurstFollowsNeitherAtOnceNorLater() {
    int outage = 3000;
    int after = 6000;
    int admitted = 0;
    for (int i = 0; i < 1000; i++) {
      decide(FailureMode.LOCAL); // uses the burst up
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    }
    for (int i = 0; i < outage + after; i++) {
      fault = i < outage ? StoreFault.UNREACHABLE : null;
      admitted += decide(FailureMode.LOCAL) instanceof Allowed ? 1 : 0;
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    }
    assertThat(admitted).isBetween(850, 100 * (outage + after) / 1000 + 20);
  }

  @Test
  void anOutageGoesOnFromTheLevelsAfterAPartialCharge() {
    Amount atLeastTen = Amount.ofRates(DEMANDS, 1).costing(new Cost(90, 10));
    Charge partial = new Charge("acme", "k1", 1, atLeastTen, Queueing.NONE, FailureMode.LOCAL);
    store.tryCharge(partial).toCompletableFuture().join();
    fault = StoreFault.UNREACHABLE;
    int admitted = 0;
    for (int i = 0; i < 100; i++) {
      admitted += decide(FailureMode.LOCAL) instanceof Allowed ? 1 : 0;
    }
    assertThat(admitted).isEqualTo(10);
  }

  @Test
  void unitsOneKeyTookFromItsTenantAreNotCountedAgainstAnother() {
    Demand ofTenant = Demand.of(new Bucket("shared", Scope.TENANT, 50_000, 2000));
    List<Demand> demands = List.of(HUNDRED, ofTenant);
    decide("k1", demands);
    decide("k2", demands);
    fault = StoreFault.UNREACHABLE;
    for (int i = 0; i < 1000; i++) {
      decide("k1", demands);
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    }
    fault = null;
    decide("k3", demands); // notices that it is back
    Decision other = decide("k2", demands);
    assertThat(other.limits().get(0).usedUnits())
        .isLessThanOrEqualTo(demands.get(0).unitsPerOperation());
    assertThat(other.limits().get(1).usedUnits())
        .isGreaterThan(10 * demands.get(1).unitsPerOperation());
  }

  private Decision decide(String subject, List<Demand> demands) {
    Charge charge = new Charge(
        "acme", subject, 1, Amount.ofRates(demands, 1), Queueing.NONE, FailureMode.LOCAL);
    return ((Decided) store.tryCharge(charge).toCompletableFuture().join()).decision();
  }

  private Decision decide(FailureMode mode) {
    Charge charge = new Charge("acme", "k1", 1, Amount.ofRates(DEMANDS, 1), Queueing.NONE, mode);
    return ((Decided) store.tryCharge(charge).toCompletableFuture().join()).decision();
  }
}
