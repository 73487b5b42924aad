package io.weir.node.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/** How full buckets of scope {@code cluster} are, as this node read last. Safe for use by many threads. */
public final class BucketMeters {
  private final MeterRegistry registry;
  private final Map<String, Shown> buckets = new ConcurrentHashMap<>();

  private record Shown(AtomicReference<Double> used, Gauge gauge) {}

  BucketMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** So much of a bucket is used: 0 for none, 1 for all, more where something was settled beyond it. */
  public void used(String bucket, double ratio) {
    buckets.computeIfAbsent(bucket, this::shown).used().set(ratio);
  }

  /** Nobody knows how full it is. */
  public void unknown(String bucket) {
    used(bucket, Double.NaN);
  }

  /** Whether something was said of a bucket that is in the policy. */
  public boolean shows(String bucket) {
    return buckets.containsKey(bucket);
  }

  /** Others are not in the policy any more: nothing is shown of them. */
  public void keep(Set<String> names) {
    buckets.entrySet().removeIf(known -> {
      boolean isGone = !names.contains(known.getKey());
      if (isGone) {
        registry.remove(known.getValue().gauge());
      }
      return isGone;
    });
  }

  private Shown shown(String bucket) {
    AtomicReference<Double> used = new AtomicReference<>(Double.NaN);
    return new Shown(
        used,
        Gauge.builder("throttle.cluster.bucket.used.ratio", used, AtomicReference::get)
            .description("How full a bucket of scope cluster is: 0 empty, 1 full")
            .tag("bucket", bucket)
            .register(registry));
  }
}
