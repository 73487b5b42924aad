package io.weir.core.assignment;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;

/**
 * The assignments of one limit that were sent by one connection, and which of them have arrived for sure: an earlier
 * report may have crossed them, so it shows nothing. Mutable; used by one thread at a time.
 */
public final class SentAssignments {
  private static final int MOST_ON_THE_WAY = 16;

  private final Deque<Sent> onTheWay = new ArrayDeque<>();
  private long record = UsageReport.UNKNOWN;
  private long newest;
  private long arrived;
  private long requestedNanos;
  private boolean isFirst = true;

  private record Sent(long sequence, long requestedNanos, long sentNanos) {}

  /**
   * Makes a report of the client.
   *
   * @param isNew whether it says that it had no assignment before
   * @param writtenNanos an instant before which the client did not write the report
   * @param nowNanos the present
   */
  public UsageReport report(
      String client, boolean isNew, long used, long writtenNanos, long nowNanos) {
    long bound = Assignment.ARRIVES.toNanos();
    for (Sent next = onTheWay.peek();
        next != null && writtenNanos - next.sentNanos() >= bound;
        next = onTheWay.peek()) {
      arrived = next.sequence();
      requestedNanos = next.requestedNanos();
      onTheWay.remove();
    }
    boolean isFresh = isFirst && isNew;
    isFirst = false;
    return new UsageReport(
        client, isFresh ? UsageReport.FRESH : record, arrived, age(nowNanos).orElse(0), used);
  }

  /**
   * An assignment was sent.
   *
   * @param requestedAtNanos before it was requested
   */
  public void sent(Assignment assignment, long requestedAtNanos, long sentNanos) {
    record = assignment.record() == 0 ? UsageReport.FRESH : assignment.record();
    if (assignment.sequence() <= newest) { // the shared state has forgotten the limit
      onTheWay.clear();
      arrived = 0;
    }
    newest = assignment.sequence();
    if (onTheWay.size() < MOST_ON_THE_WAY) {
      onTheWay.add(new Sent(assignment.sequence(), requestedAtNanos, sentNanos));
    }
  }

  private OptionalLong age(long nowNanos) {
    return arrived == 0
        ? OptionalLong.empty()
        : OptionalLong.of((nowNanos - requestedNanos) / 1000);
  }
}
