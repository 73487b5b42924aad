package io.weir.state.policy;

import io.weir.core.bucket.Bucket;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The bursts of a policy's buckets, stored with it for readers of states with redis-cli: a state has the level and the
 * rate of a bucket, not its burst. No decision depends on it.
 */
final class Bursts {
  private static final int AT_MOST = 1000;
  private static final long SEVERAL = 0;

  private Bursts() {}

  /**
   * One line {@code <bucket>@<rate> <burstMillis>} for each bucket and rate with a single burst. Buckets whose burst is
   * changed by an override, and all beyond the thousandth, are left out.
   */
  static String of(Policy policy) {
    Map<String, Long> bursts = new LinkedHashMap<>();
    buckets(policy)
        .forEach(bucket -> bursts.merge(
            bucket.name() + "@" + bucket.rate(),
            bucket.burstMillis(),
            (one, other) -> one.equals(other) ? one : Long.valueOf(SEVERAL)));
    return bursts.entrySet().stream()
        .filter(entry -> entry.getValue() != SEVERAL)
        .limit(AT_MOST)
        .map(entry -> entry.getKey() + " " + entry.getValue())
        .collect(Collectors.joining("\n"));
  }

  private static Stream<Bucket> buckets(Policy policy) {
    return Stream.concat(policy.buckets().stream(), policy.allPlans().flatMap(Plan::buckets));
  }
}
