package io.weir.testkit;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.slot.SlotMode;
import io.weir.testkit.Scenario.StepType;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Generates the policies of one {@link Scenario}: its buckets and what denied callers get. */
final class ScenarioPolicies {

  private final RandomGenerator random;
  private final StepType kind;
  private final int buckets;
  private final List<Scope> scopes;

  ScenarioPolicies(RandomGenerator random, StepType kind, int buckets, boolean hasClusterBuckets) {
    this.random = random;
    this.kind = kind;
    this.buckets = buckets;
    this.scopes = kind == StepType.CALLERS
        ? List.of(Scope.KEY, Scope.KEY, Scope.TENANT)
        : List.of(
            Scope.KEY,
            Scope.KEY,
            Scope.KEY,
            Scope.TENANT,
            Scope.TENANT,
            hasClusterBuckets ? Scope.CLUSTER : Scope.TENANT);
  }

  SlotMode slots() {
    return switch (kind) {
      case MIXED -> random.nextInt(4) > 0 ? SlotMode.RESERVE : pick(List.of(SlotMode.values()));
      case RATES -> SlotMode.OFF;
      case CALLERS -> SlotMode.RESERVE;
    };
  }

  // Always the same names, so that a change of policy has usage to carry over.
  List<Demand> demands() {
    List<Demand> made = new ArrayList<>();
    for (int i = 0; i < buckets; i++) {
      made.add(demand("bucket-" + i));
    }
    return List.copyOf(made);
  }

  private Demand demand(String name) {
    Scope scope = pick(scopes);
    Rate rate = rate();
    long longest = Math.min(Bucket.MAX_BURST_MILLIS, Bucket.MAX_PRECISION / rate.unitsPerMicro());
    // If operations drain in no time, a request takes the units of half a millisecond; otherwise
    // nothing is ever full.
    long atOnce = Math.max(1, 500 * rate.unitsPerMicro() / rate.unitsPerOperation());
    long most = rate.unitsPerMicro() * 1000 * longest / rate.unitsPerOperation();
    long operations =
        Math.min(most, atOnce * (1 + random.nextInt(random.nextInt(5) == 0 ? 40 : 2)));
    long smallest = operations * rate.unitsPerOperation() / (rate.unitsPerMicro() * 1000) + 1;
    long burst = random.nextInt(3) == 0
        ? Math.max(1000 + random.nextInt(50), smallest)
        : smallest * (1 + random.nextInt(20));
    return Demand.of(new Bucket(name, scope, rate, Math.min(longest, burst)), operations);
  }

  // Odd rates on purpose: round ones hide rounding errors. In some a unit is a whole operation, in
  // others an operation is many units, and some have the largest possible numbers.
  private Rate rate() {
    // If a place is rarely full before the history ends, no caller comes back to it.
    if (kind == StepType.CALLERS && random.nextInt(4) > 0) {
      return Rate.ofMilliOpsPerSec(500 + random.nextInt(30_000));
    }
    return switch (random.nextInt(12)) {
      case 0, 1, 2 -> Rate.ofMilliOpsPerSec(1 + random.nextInt(300_000_000));
      case 3 -> Rate.ofMilliOpsPerSec(1000L * (1 + random.nextInt(20)));
      case 4 -> new Rate(1 + random.nextInt(20_000), 60_000_000);
      case 5 -> new Rate(1 + random.nextInt(27), 1);
      case 6 -> new Rate(Bucket.MAX_PRECISION / 2000 - random.nextInt(1000), 999_999_999);
      case 7 -> new Rate(1, 1_000_000L * (1 + random.nextInt(30 * 86_400)));
      default -> Rate.ofMilliOpsPerSec(500 + random.nextInt(30_000));
    };
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
