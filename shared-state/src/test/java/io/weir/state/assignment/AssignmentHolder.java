package io.weir.state.assignment;

import io.weir.core.assignment.Assignment;
import io.weir.core.assignment.UsageReport;
import io.weir.state.assignment.AssignmentPool.Ending;

/**
 * The part of a limit that one client may have.
 *
 * @param rate the highest rate by which it may spend now
 * @param burst its burst, which stays the same
 * @param untilMicros when all of its assignments have ended for sure
 * @param sent its assignments
 * @param usage its reports
 */
record AssignmentHolder(long rate, long burst, long untilMicros, Sent sent, Usage usage) {
  private static final long MOST_DEMAND = 2 * Assignment.WHOLE;
  private static final long FIRST_DEMAND = Assignment.WHOLE / 64;
  private static final long MEASURED_MICROS = 500_000;

  /**
   * Its assignments.
   *
   * @param rate of the last one
   * @param sequence of the first one with this rate
   * @param record the sequence of its first assignment by its connection
   * @param reachedMicros none of its assignments has ended earlier than {@link Assignment#LASTS} after this
   */
  record Sent(long rate, long sequence, long record, long reachedMicros) {}

  /**
   * Its requests.
   *
   * @param demand their measured rate
   * @param counted what it used since that was measured, as in {@link UsageReport#used}
   * @param measuredMicros when it was measured
   * @param usedMicros when it reported a request last
   */
  record Usage(long demand, long counted, long measuredMicros, long usedMicros) {

    Usage plus(long used, long now) {
      long sum = Math.min(UsageReport.MOST_USED, counted + used);
      long last = used > 0 ? now : usedMicros;
      if (now - measuredMicros < MEASURED_MICROS) {
        return new Usage(demand, sum, measuredMicros, last);
      }
      return new Usage(Math.min(MOST_DEMAND, sum / (now - measuredMicros)), 0, now, last);
    }

    Usage rebased(long ahead) {
      return new Usage(demand, counted, measuredMicros - ahead, usedMicros - ahead);
    }
  }

  static AssignmentHolder first(long burst, long sequence, long now) {
    return new AssignmentHolder(
        0, burst, now, new Sent(0, sequence, sequence, now), new Usage(FIRST_DEMAND, 0, now, now));
  }

  /** A lower rate that has arrived is the highest it may have. */
  AssignmentHolder arrived(UsageReport report, long now) {
    if (report.record() != sent.record()) {
      return this;
    }
    boolean isNewest = report.arrived() >= sent.sequence();
    long reached = report.arrived() == 0
        ? sent.reachedMicros()
        : Math.max(sent.reachedMicros(), now - report.ageMicros());
    return new AssignmentHolder(
        isNewest ? sent.rate() : rate,
        burst,
        untilMicros,
        new Sent(sent.rate(), sent.sequence(), sent.record(), reached),
        usage);
  }

  AssignmentHolder recorded(long record) {
    Sent next = new Sent(sent.rate(), sent.sequence(), record, sent.reachedMicros());
    return new AssignmentHolder(rate, burst, untilMicros, next, usage);
  }

  AssignmentHolder used(long used, long now) {
    return new AssignmentHolder(rate, burst, untilMicros, sent, usage.plus(used, now));
  }

  AssignmentHolder assigned(long newRate, long sequence, long until) {
    Sent next = newRate == sent.rate()
        ? sent
        : new Sent(newRate, sequence, sent.record(), sent.reachedMicros());
    return new AssignmentHolder(Math.max(rate, newRate), burst, until, next, usage);
  }

  Ending ending() {
    return new Ending(rate, burst, untilMicros);
  }

  /** The clock was set back, and nobody knows how much time has passed since the last report. */
  AssignmentHolder rebased(long ahead) {
    Sent next = new Sent(sent.rate(), sent.sequence(), sent.record(), 0);
    return new AssignmentHolder(rate, burst, untilMicros - ahead, next, usage.rebased(ahead));
  }
}
