package io.weir.node.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What a node counts of the providers of upstreams: by key slots only what is few. Safe for use by many threads. */
public final class ProviderMeters {
  private final MeterRegistry registry;
  private final Map<String, LongAdder> waiting = new ConcurrentHashMap<>();

  ProviderMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** So many more requests wait for an upstream. */
  public void waiting(String upstream, int more) {
    waiting
        .computeIfAbsent(upstream, name -> {
          LongAdder count = new LongAdder();
          Gauge.builder("throttle.upstream.queue", count, LongAdder::doubleValue)
              .description("Requests of this node that wait for the providers of an upstream")
              .tag("upstream", name)
              .register(registry);
          return count;
        })
        .add(more);
  }

  /** One has waited for so long. */
  public void entered(String upstream, long nanos) {
    Timer.builder("throttle.upstream.wait")
        .description("How long requests waited for a key slot and a permit")
        .tag("upstream", upstream)
        .register(registry)
        .record(Duration.ofNanos(nanos));
  }

  /** An attempt by a key slot has ended. */
  public void attempt(String upstream, String provider, String key, String outcome) {
    registry
        .counter(
            "throttle.upstream.attempts",
            Tags.of("upstream", upstream, "provider", provider, "key", key, "outcome", outcome))
        .increment();
  }

  /** A provider answered after so long. */
  public void took(String upstream, String provider, long nanos) {
    Timer.builder("throttle.upstream.latency")
        .description("How long attempts took, by provider")
        .publishPercentileHistogram()
        .tags(Tags.of("upstream", upstream, "provider", provider))
        .register(registry)
        .record(Duration.ofNanos(nanos));
  }

  /** A request is tried again after a wait. */
  public void again(String upstream, long millis) {
    Timer.builder("throttle.upstream.backoff")
        .description("The waits before another attempt")
        .tag("upstream", upstream)
        .register(registry)
        .record(Duration.ofMillis(millis));
  }

  /** No attempt was left. */
  public void exhausted(String upstream) {
    registry.counter("throttle.upstream.exhausted", "upstream", upstream).increment();
  }

  /** A provider is left alone: because its breaker opened, or because it said so. */
  public void leftAlone(String upstream, String provider, String why) {
    registry
        .counter(
            "throttle.upstream.left.alone",
            Tags.of("upstream", upstream, "provider", provider, "why", why))
        .increment();
  }
}
