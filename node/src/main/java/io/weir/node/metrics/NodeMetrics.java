package io.weir.node.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MetricsDomain;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import io.weir.decision.Decision;
import io.weir.policy.Plan;
import java.util.EnumSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What a node counts and times. Tags are names of the policy and words of the code, never a subject, a
 * tenant or anything a caller sends. Safe for use by many threads; nothing in here throws.
 */
public final class NodeMetrics {
  private static final String NONE = "none";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final ConcurrentMap<DecisionTags, Counter> decisions = new ConcurrentHashMap<>();
  private final Timer storeLatency = Timer.builder("throttle.store.latency")
      .description("How long the shared state took to answer")
      .publishPercentileHistogram()
      .register(registry);
  private final Counter storeErrors = Counter.builder("throttle.store.errors")
      .description("Questions to the shared state without an answer")
      .register(registry);

  /** Lets Vert.x report its HTTP metrics to the same registry. */
  public VertxBuilder reportingTo(VertxBuilder builder) {
    MicrometerMetricsOptions options = new MicrometerMetricsOptions();
    options
        .setLabels(EnumSet.of(Label.HTTP_CODE))
        .addDisabledMetricsCategory(MetricsDomain.EVENT_BUS)
        .addDisabledMetricsCategory(MetricsDomain.VERTICLES)
        .addDisabledMetricsCategory(MetricsDomain.NAMED_POOLS)
        .setEnabled(true);
    return builder
        .with(new VertxOptions().setMetricsOptions(options))
        .withMetrics(new MicrometerMetricsFactory(registry));
  }

  /** Everything, as Prometheus reads it. */
  public String scrape() {
    return registry.scrape();
  }

  /** Counts a decision. */
  public void decided(Plan plan, String operation, Decision decision) {
    String outcome =
        decision.fold(allowed -> "allowed", denied -> "denied", never -> "never_allowed");
    String bucket = decision.fold(
        allowed -> NONE,
        denied -> denied.full().get(0),
        never -> never.full().isEmpty() ? NONE : never.full().get(0));
    count(new DecisionTags(plan.tagOf(operation), plan.name(), outcome, bucket));
  }

  /** Counts a request for which no decision could be made. */
  public void undecided(Plan plan, String operation) {
    count(new DecisionTags(plan.tagOf(operation), plan.name(), "unavailable", NONE));
  }

  /** Begins to time a question to the shared state. */
  StoreTimer startStoreTimer() {
    Timer.Sample sample = Timer.start(registry);
    return answered -> {
      if (answered) {
        sample.stop(storeLatency);
      } else {
        storeErrors.increment();
      }
    };
  }

  private void count(DecisionTags tags) {
    decisions.computeIfAbsent(tags, this::counter).increment();
  }

  private Counter counter(DecisionTags tags) {
    return Counter.builder("throttle.decisions")
        .description("Decisions by operation, plan, outcome and the bucket that limited")
        .tags(Tags.of(
            "operation", tags.operation(),
            "plan", tags.plan(),
            "outcome", tags.outcome(),
            "bucket", tags.bucket()))
        .register((MeterRegistry) registry);
  }

  /** Ends the timing of one question. */
  @FunctionalInterface
  interface StoreTimer {
    void stop(boolean answered);
  }

  private record DecisionTags(String operation, String plan, String outcome, String bucket) {}
}
