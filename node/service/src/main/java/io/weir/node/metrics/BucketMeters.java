package io.weir.node.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/** The fill level of buckets of scope {@code cluster}, as this node read it last. Safe for use by many threads. */
public final class BucketMeters {
  private final MeterRegistry registry;
  private final Map<String, Shown> buckets = new ConcurrentHashMap<>();

  private record Shown(AtomicReference<Double> used, Gauge gauge) {}

  BucketMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Sets the used part of a bucket: 0 for none, 1 for all, more if a settlement exceeded the capacity. */
  public void used(String bucket, double ratio) {
    buckets.computeIfAbsent(bucket, this::shown).used().set(ratio);
  }

  /** The level of a bucket is unknown. */
  public void unknown(String bucket) {
    used(bucket, Double.NaN);
  }

  /** Whether a level of a bucket is shown. */
  public boolean shows(String bucket) {
    return buckets.containsKey(bucket);
  }

  /** Removes buckets that are not in the policy any more. */
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
