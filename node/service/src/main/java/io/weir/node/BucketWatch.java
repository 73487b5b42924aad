package io.weir.node;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Scope;
import io.weir.core.throttle.PolicySource;
import io.weir.node.metrics.BucketMeters;
import io.weir.state.inspect.RedisLevels;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads periodically how full the buckets of scope {@code cluster} are, for the metrics: one call for all, and one more
 * for each leased bucket.
 */
record BucketWatch(Vertx vertx, PolicySource policies, RedisLevels levels, BucketMeters meters) {
  private static final long EVERY_MILLIS = 5000;

  // The suffix of a bucket's reserved part, as in the policy.
  private static final String KEPT = ":kept";

  /** Starts; ends with Vert.x. */
  void start() {
    look();
    vertx.setPeriodic(EVERY_MILLIS, due -> look());
  }

  private void look() {
    List<Bucket> buckets = policies.current().policy().buckets().stream()
        .filter(bucket -> bucket.scope() == Scope.CLUSTER)
        .toList();
    meters.keep(buckets.stream()
        .flatMap(bucket -> Stream.of(bucket.name(), bucket.name() + KEPT))
        .collect(Collectors.toSet()));
    buckets.stream().filter(levels::isLeased).forEach(this::lookAtLeased);
    List<Bucket> others =
        buckets.stream().filter(Predicate.not(levels::isLeased)).toList();
    if (!others.isEmpty()) {
      lookAt(others);
    }
  }

  private void lookAtLeased(Bucket bucket) {
    Future<Long> unused = Future.fromCompletionStage(levels.drainMicros(bucket))
        .onSuccess(micros -> meters.used(bucket.name(), ratio(micros, bucket)))
        .onFailure(error -> meters.unknown(bucket.name()));
  }

  private void lookAt(List<Bucket> buckets) {
    Future<Map<String, Long>> unused = Future.fromCompletionStage(levels.drainMicros())
        .onSuccess(micros -> buckets.forEach(bucket -> show(bucket, micros)))
        .onFailure(error -> buckets.forEach(bucket -> meters.unknown(bucket.name())));
  }

  private void show(Bucket bucket, Map<String, Long> micros) {
    meters.used(bucket.name(), ratio(micros.getOrDefault(bucket.name(), 0L), bucket));
    String kept = bucket.name() + KEPT;
    if (micros.containsKey(kept) || meters.shows(kept)) {
      meters.used(kept, ratio(micros.getOrDefault(kept, 0L), bucket));
    }
  }

  // Both parts of a bucket have the same burst, whatever their rates.
  private static double ratio(long drainMicros, Bucket bucket) {
    return (double) drainMicros / TimeUnit.MILLISECONDS.toMicros(bucket.burstMillis());
  }
}
