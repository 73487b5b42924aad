package io.weir.client.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.client.retry.BreakerState;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.UpstreamState;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Counts the results of calls: {@code retries} and {@code retries.exhausted} by upstream and reason, the timer {@code
 * retry.backoff}, {@code retry.breaker.state} (0 closed, 1 half open, 2 open), {@code retry.breaker.transitions} and
 * {@code retry.budget}. There are as many series as upstreams that the program calls, at most a thousand. Safe for use
 * by many threads.
 */
public final class MicrometerRetryListener implements RetryListener {
  private static final String UPSTREAM = "upstream";
  private static final String REASON = "reason";

  private final MeterRegistry registry;

  public MicrometerRetryListener(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void upstreamAppeared(UpstreamState upstream) {
    Gauge.builder("retry.breaker.state", upstream, it -> level(it.breaker()))
        .description("Circuit breaker: 0 closed, 1 half open, 2 open")
        .tag(UPSTREAM, upstream.name())
        .strongReference(true)
        .register(registry);
    Gauge.builder("retry.budget", upstream, UpstreamState::budget)
        .description("Retries that the budget would pay for now")
        .tag(UPSTREAM, upstream.name())
        .strongReference(true)
        .register(registry);
  }

  @Override
  public void upstreamForgotten(String upstream) {
    Stream.of(
            "retry.breaker.state",
            "retry.budget",
            "retries",
            "retry.backoff",
            "retries.exhausted",
            "retry.breaker.transitions")
        .flatMap(name -> registry.find(name).tag(UPSTREAM, upstream).meters().stream())
        .forEach(registry::remove);
  }

  @Override
  public void retrying(String upstream, String reason, Duration wait) {
    registry.counter("retries", UPSTREAM, upstream, REASON, reason).increment();
    registry.timer("retry.backoff", UPSTREAM, upstream).record(wait);
  }

  @Override
  public void exhausted(String upstream, String reason) {
    registry.counter("retries.exhausted", UPSTREAM, upstream, REASON, reason).increment();
  }

  @Override
  public void breakerChanged(String upstream, BreakerState from, BreakerState to) {
    registry
        .counter(
            "retry.breaker.transitions",
            UPSTREAM,
            upstream,
            "to",
            to.name().toLowerCase(Locale.ROOT))
        .increment();
  }

  private static int level(BreakerState state) {
    return switch (state) {
      case CLOSED -> 0;
      case HALF_OPEN -> 1;
      case OPEN -> 2;
    };
  }
}
