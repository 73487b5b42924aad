package io.weir.node.envoy;

import io.weir.core.assignment.Assignment;
import io.weir.core.assignment.DividedLimit;
import io.weir.core.assignment.SentAssignments;
import io.weir.core.assignment.UsageReport;
import io.weir.node.envoy.UsageMessage.BucketUsage;
import io.weir.node.envoy.rule.Entry;
import io.weir.node.intake.Bulkhead.Portion;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A bucket that a stream reports on, with its present limit. Mutable; owned by one event loop. */
final class StreamBucket {
  /** A report that comes sooner after the one before is merged into the next one. */
  static final Duration PACE = Duration.ofMillis(200);

  private static final long BYTES = 2048;
  private static final long BYTES_OF_ENTRY = 128;
  private static final long BYTES_OF_CHAR = 2;

  private final List<Entry> entries;
  private final DividedLimit limit;
  private final Portion memory;
  private final SentAssignments sent = new SentAssignments();
  private long merged;
  private long reported; // what the last report to the shared state said
  private long reportedNanos;
  private boolean isReported;

  /** @param memory what it takes */
  StreamBucket(List<Entry> entries, DividedLimit limit, Portion memory) {
    this.entries = entries;
    this.limit = limit;
    this.memory = memory;
  }

  /** The most memory that a bucket takes, in bytes, with a report on it under way. */
  static long bytes(List<Entry> entries) {
    return BYTES
        + entries.stream()
            .mapToLong(entry -> BYTES_OF_ENTRY
                + BYTES_OF_CHAR * (entry.key().length() + entry.value().length()))
            .sum();
  }

  List<Entry> entries() {
    return entries;
  }

  DividedLimit limit() {
    return limit;
  }

  /** The bucket is not in the stream any more. */
  void removed() {
    memory.free();
  }

  /**
   * A report to send to the shared state; empty if it is merged into the next one.
   *
   * @param writtenNanos an instant before which the client did not write it
   */
  Optional<UsageReport> report(String client, BucketUsage usage, long writtenNanos, long now) {
    merged = UsageMessage.sum(merged, usage.requests());
    if (isReported && now - reportedNanos < PACE.toNanos()) {
      return Optional.empty();
    }
    long used = limit.used(merged);
    reported = merged;
    merged = 0;
    reportedNanos = now;
    isReported = true;
    return Optional.of(sent.report(client, usage.isNew(), used, writtenNanos, now));
  }

  /** The last report was not answered: the next one includes it. */
  void unanswered() {
    merged = UsageMessage.sum(merged, reported);
  }

  /**
   * An assignment was sent.
   *
   * @param requestedNanos before it was requested
   */
  void sent(Assignment assignment, long requestedNanos, long now) {
    sent.sent(assignment, requestedNanos, now);
  }
}
