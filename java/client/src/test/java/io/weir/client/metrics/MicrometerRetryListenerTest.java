package io.weir.client.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.weir.client.retry.BreakerState;
import io.weir.client.retry.UpstreamState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The metrics as Prometheus sees them. */
final class MicrometerRetryListenerTest {
  private record Standing(String name, BreakerState breaker, double budget)
      implements UpstreamState {}

  @Test
  void everythingIsCountedUnderItsName() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    MicrometerRetryListener listener = new MicrometerRetryListener(registry);
    listener.upstreamAppeared(new Standing("http://a:1", BreakerState.OPEN, 2.5));
    listener.retrying("http://a:1", "429", Duration.ofMillis(250));
    listener.retrying("http://a:1", "429", Duration.ofMillis(250));
    listener.exhausted("http://a:1", "500");
    listener.breakerChanged("http://a:1", BreakerState.CLOSED, BreakerState.OPEN);
    assertThat(registry.scrape().lines())
        .contains(
            "retries_total{reason=\"429\",upstream=\"http://a:1\"} 2.0",
            "retries_exhausted_total{reason=\"500\",upstream=\"http://a:1\"} 1.0",
            "retry_backoff_seconds_sum{upstream=\"http://a:1\"} 0.5",
            "retry_backoff_seconds_count{upstream=\"http://a:1\"} 2",
            "retry_breaker_state{upstream=\"http://a:1\"} 2.0",
            "retry_breaker_transitions_total{to=\"open\",upstream=\"http://a:1\"} 1.0",
            "retry_budget{upstream=\"http://a:1\"} 2.5");
  }
}
