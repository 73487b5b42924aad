package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** A store on a manual clock, and what the contracts ask it. */
abstract class StoreContract {
  static final long SECOND = 1_000_000;

  /** A bucket of ten operations per second that holds ten. */
  static final Demand TEN = demand("ten", Scope.KEY, 10, 1000);

  static final Demand CLUSTER_TWENTY = demand("twenty", Scope.CLUSTER, 20, 1000);

  final ManualClock clock = new ManualClock();
  private @Nullable BucketStore made;

  /** Makes an empty store on this clock. */
  protected abstract BucketStore emptyStore(ManualClock clock);

  /** Whether it keeps buckets of scope {@code cluster} itself: on a Redis Cluster they are leased. */
  protected boolean hasClusterBuckets() {
    return true;
  }

  @BeforeEach
  void makeStore() {
    made = emptyStore(clock);
  }

  final BucketStore store() {
    return Objects.requireNonNull(made);
  }

  /** A demand of whole operations from a bucket of one group. */
  static Demand demand(String name, Scope scope, long opsPerSec, long burstMillis) {
    return Demand.of(new Bucket(name, scope, opsPerSec * 1000, burstMillis));
  }

  static Charge charge(long cost, Demand... demands) {
    return charge("acme", "k1", 1, cost, demands);
  }

  static Charge charge(String tenant, String subject, long revision, long cost, Demand... demands) {
    return new Charge(tenant, subject, revision, List.of(demands), cost);
  }

  final Allowed allowed(Charge charge) {
    return as(Allowed.class, decide(charge));
  }

  final Denied denied(Charge charge) {
    return as(Denied.class, decide(charge));
  }

  final NeverAllowed never(Charge charge) {
    return as(NeverAllowed.class, decide(charge));
  }

  private static <T> T as(Class<T> type, Decision decision) {
    assertThat(decision).isInstanceOf(type);
    return type.cast(decision);
  }

  final Decision decide(Charge charge) {
    return decision(answer(charge));
  }

  final Decision peek(Charge charge) {
    return decision(await(store().peek(charge)));
  }

  final StoreAnswer answer(Charge charge) {
    assumeTrue(hasClusterBuckets() || charge.demands().stream().allMatch(this::isNarrow));
    return await(store().tryCharge(charge));
  }

  private boolean isNarrow(Demand demand) {
    return demand.bucket().scope() != Scope.CLUSTER;
  }

  static Decision decision(StoreAnswer answer) {
    return as(StoreAnswer.Decided.class, answer).decision();
  }

  private static <T> T as(Class<T> type, StoreAnswer answer) {
    assertThat(answer).isInstanceOf(type);
    return type.cast(answer);
  }

  static StoreAnswer await(CompletionStage<StoreAnswer> answer) {
    return answer.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }

  static List<Long> remaining(Decision decision) {
    return decision.limits().stream().map(Limit::remaining).toList();
  }
}
