package io.weir.testkit.judge;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The limits of a judged history: of all sizes, from one in a quarter of an hour to ten thousand a second, or all alike,
 * so that many requests wait for all of them. Mutable; owned by one history.
 */
final class JudgedPolicy {
  private static final long SECOND = 1_000_000;
  private static final List<Scope> SCOPES =
      List.of(Scope.KEY, Scope.KEY, Scope.TENANT, Scope.CLUSTER);
  private static final List<Long> MILLI_OPS =
      List.of(1L, 17L, 100L, 1000L, 2000L, 10_000L, 33_333L, 1_000_000L, 10_000_000L);
  private static final List<Integer> BURSTS = List.of(1, 1, 2, 3, 10, 50);
  private static final List<Long> ALIKE_MILLI_OPS = List.of(10_000L, 20_000L, 100_000L);
  private static final List<Integer> ALIKE_BURSTS = List.of(10, 20, 50);

  private final Random random;
  private final boolean areAlike;
  private final List<Bucket> buckets = new ArrayList<>();
  private List<List<Demand>> operations = List.of();
  private List<KindDemand> kinds = List.of();
  private long revision = 1;

  JudgedPolicy(Random random) {
    this.random = random;
    this.areAlike = random.nextInt(3) == 0;
    for (int i = 0; i < SCOPES.size(); i++) {
      buckets.add(bucket("b" + i, SCOPES.get(i)));
    }
    make();
  }

  long revision() {
    return revision;
  }

  /** The demands of each operation. */
  List<List<Demand>> operations() {
    return operations;
  }

  /** Two quotas, and permits. */
  List<KindDemand> kinds() {
    return kinds;
  }

  List<KindDemand> quotas() {
    return kinds.subList(0, 2);
  }

  /** One bucket has another burst, or another rate. */
  void change() {
    int i = random.nextInt(buckets.size());
    Bucket old = buckets.get(i);
    long burst = Math.max(1, old.burstMillis() * (random.nextBoolean() ? 1 : 3) / 2);
    boolean isPossible = burst * old.unitsPerMicro() <= Bucket.MAX_PRECISION
        && burst * 1000 * old.unitsPerMicro() >= old.unitsPerOperation();
    buckets.set(
        i,
        isPossible && random.nextBoolean()
            ? new Bucket(old.name(), old.scope(), old.rate(), burst)
            : bucket(old.name(), old.scope()));
    make();
    revision++;
  }

  private void make() {
    List<List<Integer>> some = random.nextBoolean()
        ? List.of(List.of(0), List.of(0, 2), List.of(0, 1, 2, 3))
        : List.of(List.of(1), List.of(0, 1), List.of(3));
    operations = some.stream()
        .map(numbers -> numbers.stream().map(i -> demand(buckets.get(i))).toList())
        .toList();
    kinds = List.of(
        quota("q0", Scope.KEY),
        quota("q1", Scope.TENANT),
        new Permits("p0", Scope.TENANT, 1 + random.nextInt(5), 5 * SECOND));
  }

  private Demand demand(Bucket bucket) {
    long units = bucket.unitsPerOperation() * one(List.of(1L, 1L, 2L, 3L));
    return new Demand(
        bucket, Math.min(bucket.capacityUnits(), units), random.nextInt(6) == 0, false);
  }

  private Quota quota(String name, Scope scope) {
    FixedPeriods window = new FixedPeriods(1000 + random.nextInt(20_000), random.nextBoolean());
    boolean isSoft = random.nextInt(8) == 0;
    boolean countsRequests = random.nextInt(4) == 0;
    return new Quota(
        name, scope, 1 + random.nextInt(200), window, isSoft, 80, countsRequests, false);
  }

  private Bucket bucket(String name, Scope scope) {
    long milliOps = one(areAlike ? ALIKE_MILLI_OPS : MILLI_OPS);
    long operationMillis = (1_000_000 + milliOps - 1) / milliOps;
    int operations = one(areAlike ? ALIKE_BURSTS : BURSTS);
    long burst = Math.max(operations * operationMillis, one(List.of(1L, 200L, 1000L)));
    return new Bucket(name, scope, Rate.ofMilliOpsPerSec(milliOps), burst);
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  @Override
  public String toString() {
    return revision + ": " + operations + kinds;
  }
}
