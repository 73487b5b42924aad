package io.weir.core.policy.read;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Quota;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The demands of a plan besides plain rates. Immutable.
 *
 * @param options of buckets, by name
 * @param limits quotas and permits
 * @param shedAtMillis the multiplier from which on the plan's operations are denied, in thousandths
 */
record PlanKinds(
    Map<String, BucketOptions> options, List<KindLimit> limits, OptionalLong shedAtMillis) {

  PlanKinds {
    options = Map.copyOf(options);
    limits = List.copyOf(limits);
  }

  /** The same without quotas and permits. */
  PlanKinds ofBuckets() {
    return new PlanKinds(options, List.of(), OptionalLong.empty());
  }

  /** The options of a bucket besides its rate. */
  BucketOptions of(String bucket) {
    return options.getOrDefault(bucket, BucketOptions.NONE);
  }

  /** The operations that quotas and permits name. */
  Set<String> operations() {
    Set<String> operations = new HashSet<>();
    limits.forEach(limit -> operations.addAll(limit.operations()));
    return operations;
  }

  /** The same with another limit instead of the one of that name. */
  PlanKinds with(KindLimit replacement) {
    List<KindLimit> replaced = limits.stream()
        .map(limit -> limit.name().equals(replacement.name()) ? replacement : limit)
        .toList();
    return new PlanKinds(options, replaced, shedAtMillis);
  }

  Optional<KindLimit> limit(String name) {
    return limits.stream().filter(limit -> limit.name().equals(name)).findFirst();
  }

  /**
   * The demands of an operation on buckets: reserved shares are separate demands, and each demand is followed by its
   * overflow.
   *
   * @param left buckets that the operation has left for its own bucket: their overflow is not used, either
   */
  List<Demand> demands(List<Demand> plain, Set<String> left, String plan, String operation) {
    Map<String, Demand> byName = new LinkedHashMap<>();
    plain.forEach(demand -> byName.put(demand.bucket().name(), demand));
    Set<String> targets = new HashSet<>();
    left.forEach(name -> of(name).overflow().ifPresent(targets::add));
    byName
        .keySet()
        .forEach(name -> of(name).overflow().filter(byName::containsKey).ifPresent(targets::add));
    List<Demand> demands = new ArrayList<>();
    byName.forEach((name, demand) -> {
      if (!targets.contains(name)) {
        demands.addAll(of(name).demands(demand, plan, operation));
        of(name)
            .overflow()
            .map(byName::get)
            .ifPresent(target -> demands.add(of(target.bucket().name()).asOverflow(target)));
      }
    });
    return demands;
  }

  /** The demands of an operation on limits other than rates. */
  List<KindDemand> others(List<Demand> demands, String operation) {
    List<KindDemand> others = new ArrayList<>();
    Set<String> targets = new HashSet<>();
    limits.stream()
        .filter(limit -> limit.limits(operation))
        .forEach(limit -> limit.overflow().ifPresent(targets::add));
    for (KindLimit limit : limits) {
      if (limit.limits(operation) && !targets.contains(limit.name())) {
        others.add(limit.demand());
        limit
            .overflow()
            .flatMap(this::limit)
            .ifPresent(target -> others.add(((Quota) target.demand()).asOverflow()));
      }
    }
    for (Demand demand : demands) {
      Bucket bucket = demand.bucket();
      BucketOptions option = of(bucket.name());
      option
          .congestion()
          .ifPresent(scale ->
              others.add(new Congestion(bucket, demand, scale, option.isPrice(), shedAtMillis)));
    }
    return others;
  }
}
