package io.weir.node.metrics;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Remarks;
import io.weir.core.kind.Congestion;
import io.weir.core.policy.Plan;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Ended;
import io.weir.state.hold.Holds;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The metrics of a node. Tags are names of the policy and words of the code, never a subject, a tenant or data of a
 * caller. Safe for use by many threads; no method throws.
 */
public final class NodeMetrics implements Holds.Events {
  private static final String NONE = "none";
  /** The bounds of the histogram: the waits of full quotas are hours and days. */
  private static final List<Duration> WAITS = Stream.of(
          "0.01s", "0.1s", "0.5s", "1s", "2s", "5s", "10s", "30s", "1m", "2m", "10m", "30m", "1h",
          "2h", "6h", "12h", "24h", "168h", "744h")
      .map(wait -> Duration.parse("PT" + wait))
      .toList();

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

  private final Map<String, Counter> slots = Stream.of(
          "made", "kept", "early", "late", "unknown", "broken")
      .collect(Collectors.toUnmodifiableMap(Function.identity(), this::slotCounter));
  private final Timer wait = Timer.builder("throttle.retry.after")
      .description("The waits in the answers to denied callers")
      .serviceLevelObjectives(WAITS.toArray(Duration[]::new))
      .register(registry);
  private final HttpMeters http = new HttpMeters(registry);
  private final ConnectionMeters connections = new ConnectionMeters(registry);
  private final BucketMeters buckets = new BucketMeters(registry);
  private final AssignmentMeters assignments = new AssignmentMeters(registry);

  private final Counter degraded = Counter.builder("throttle.degraded.decisions")
      .description("Decisions that a node made by itself, because the shared state was away")
      .register((MeterRegistry) registry);

  private final DistributionSummary congestion = DistributionSummary.builder(
          "throttle.congestion.multiplier")
      .description("The multipliers above 1 in decisions on buckets that are nearly full")
      .register(registry);

  /** The metrics of shared buckets. */
  public BucketMeters buckets() {
    return buckets;
  }

  /** The metrics of divided limits. */
  public AssignmentMeters assignments() {
    return assignments;
  }

  /** The registry, for the metrics of extensions. */
  public MeterRegistry registry() {
    return registry;
  }

  /** The metrics of HTTP. */
  public HttpMeters http() {
    return http;
  }

  /** The metrics of the bound of connections. */
  public ConnectionMeters connections() {
    return connections;
  }

  /** All metrics in the format of Prometheus. */
  public String scrape() {
    return registry.scrape();
  }

  /** Shows the unused part of this node's leases: the other nodes may stay below the limit by this amount. */
  public void leased(DoubleSupplier operations) {
    Gauge.builder("throttle.leased.operations", operations::getAsDouble)
        .description("Operations of leased buckets that this node holds and has not used")
        .register(registry);
  }

  /** Shows the policy in force: nodes that differ, and when it changed. */
  public void policy(Supplier<Number> revision) {
    Gauge.builder("throttle.policy.revision", revision)
        .description("The revision of the policy in force on this node")
        .register((MeterRegistry) registry);
  }

  /** Shows the share of the shared state that is away. */
  public void away(DoubleSupplier share) {
    Gauge.builder("throttle.shared.state.away", share::getAsDouble)
        .description(
            "The share of the shared state that is away: 1 for all; plans are limited as their failureMode says")
        .register((MeterRegistry) registry);
  }

  /** Shows the number of requests that are held until their slot, or may have to be. */
  public void held(Supplier<Number> count) {
    Gauge.builder("throttle.held.requests", count)
        .description("Requests that wait for their slot, or may have to")
        .register((MeterRegistry) registry);
  }

  /** Shows the number of streams of reports on divided limits. */
  public void assignmentStreams(Supplier<Number> count) {
    Gauge.builder("throttle.assignment.streams", count)
        .description("Streams of reports on divided limits")
        .register((MeterRegistry) registry);
  }

  /** Shows whether the policy file that this node watches is refused, and whether another policy is in force. */
  public void policyFile(Supplier<Number> refused, Supplier<Number> differing) {
    Gauge.builder("throttle.policy.file.differs", differing)
        .description("1 while another policy is in force than that of the watched file")
        .register(registry);
    Gauge.builder("throttle.policy.file.refused", refused)
        .description(
            "1 while the watched policy file is not in force, because it is refused or unreadable")
        .register((MeterRegistry) registry);
  }

  /** Shows the number of requests of this node with permits or reservations. */
  public void holds(Supplier<Number> count) {
    Gauge.builder("throttle.holds", count)
        .description("Requests of this node that hold permits, or have reserved something")
        .register((MeterRegistry) registry);
  }

  /** Counts how a hold ended. */
  @Override
  public void ended(Ended ended) {
    String outcome = ended.isRepeated()
        ? "repeated"
        : ended.isCapped() ? "capped" : ended.status().word();
    registry.counter("throttle.holds.ended", "outcome", outcome).increment();
  }

  /** Counts holds that had expired before they were renewed. */
  @Override
  public void lost(long count) {
    registry.counter("throttle.holds.ended", "outcome", "lost").increment((double) count);
  }

  /** Counts expired reservations that this node has found. */
  @Override
  public void expired(long count) {
    registry.counter("throttle.holds.ended", "outcome", "expired").increment((double) count);
  }

  /** Counts a decision. */
  public void decided(Plan plan, String operation, Decision decision) {
    if (decision.degraded()) {
      degraded.increment();
    }
    String outcome =
        decision.fold(allowed -> "allowed", denied -> "denied", never -> "never_allowed");
    String bucket = decision.fold(
        allowed -> NONE, denied -> first(denied.full()), never -> first(never.full()));
    count(new DecisionTags(plan.tagOf(operation), plan.name(), outcome, bucket));
    remark(decision.remarks());
    if (decision instanceof Denied denied) {
      wait.record(denied.retryAfterMicros(), TimeUnit.MICROSECONDS);
    }
  }

  private void remark(Remarks remarks) {
    if (remarks.isPlain()) {
      return;
    }
    if (remarks.multiplierMillis() > Congestion.ONE) {
      congestion.record((double) remarks.multiplierMillis() / Congestion.ONE);
    }
    remarks
        .near()
        .forEach(name -> registry.counter("throttle.near", "limit", name).increment());
    remarks
        .paidBy()
        .forEach(name -> registry.counter("throttle.overflow", "limit", name).increment());
  }

  /** Counts an event of a queue. */
  public void queue(QueueReport report) {
    if (report.equals(QueueReport.NONE)) {
      return;
    }
    switch (report.returned()) {
      case NOT -> {}
      case EARLY, KEPT, LATE, UNKNOWN, BROKEN ->
        count(report.returned().name().toLowerCase(Locale.ROOT));
    }
    if (report.made()) {
      count("made");
    }
  }

  /**
   * Counts a request without a decision.
   *
   * @param isAway whether the shared state did not answer; otherwise the request could not be decided as it was asked
   */
  public void undecided(Plan plan, String operation, boolean isAway) {
    String outcome = isAway ? "unavailable" : "refused";
    count(new DecisionTags(plan.tagOf(operation), plan.name(), outcome, NONE));
  }

  /** Starts to time a call to the shared state. */
  public StoreTimer startStoreTimer() {
    Timer.Sample sample = Timer.start(registry);
    return answered -> {
      if (answered) {
        sample.stop(storeLatency);
      } else {
        storeErrors.increment();
      }
    };
  }

  // A caller that returned before its slot may find no bucket full.
  private static String first(List<String> full) {
    return full.isEmpty() ? NONE : full.get(0);
  }

  private void count(DecisionTags tags) {
    decisions.computeIfAbsent(tags, this::counter).increment();
  }

  private void count(String outcome) {
    requireNonNull(slots.get(outcome)).increment();
  }

  private Counter slotCounter(String outcome) {
    return Counter.builder("throttle.slots")
        .description("Places by what became of them")
        .tag("outcome", outcome)
        .register((MeterRegistry) registry);
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

  /** Ends the timing of one call. */
  @FunctionalInterface
  interface StoreTimer {
    void stop(boolean answered);
  }

  private record DecisionTags(String operation, String plan, String outcome, String bucket) {}
}
