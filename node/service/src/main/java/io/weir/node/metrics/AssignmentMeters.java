package io.weir.node.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The metrics of divided limits: the reports of Envoys on their buckets. Safe for use by many threads; no method throws. */
public final class AssignmentMeters {
  private final Map<Outcome, Counter> reports = new EnumMap<>(Outcome.class);
  private final Counter refusedStreams;

  /** The outcome of a report on one bucket. */
  public enum Outcome {
    /** A token bucket was sent. */
    ASSIGNED,
    /** The limit has nothing left now. */
    NOTHING,
    /** The bucket was unused. */
    ABANDONED,
    /** The bucket is out of bounds, or there is no room for it. */
    REFUSED,
    /** The rule of the bucket is not divided, or it has none. */
    UNDIVIDED,
    /** The report came too soon after the one before: the next one includes it. */
    MERGED,
    /** The answer took too long, and was not sent. */
    LATE,
    /** The shared state did not answer. */
    UNAVAILABLE
  }

  AssignmentMeters(MeterRegistry registry) {
    for (Outcome outcome : Outcome.values()) {
      Counter counter = Counter.builder("throttle.assignment.reports")
          .description("Reports on buckets of divided limits by their outcome")
          .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
          .register(registry);
      reports.put(outcome, counter);
    }
    refusedStreams = Counter.builder("throttle.assignment.streams.refused")
        .description("Streams of reports that were refused: the node had too many")
        .register(registry);
  }

  /** Counts a report on one bucket. */
  public void reported(Outcome outcome) {
    Objects.requireNonNull(reports.get(outcome)).increment();
  }

  /** Counts a refused stream. */
  public void refusedStream() {
    refusedStreams.increment();
  }
}
