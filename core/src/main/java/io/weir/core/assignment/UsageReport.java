package io.weir.core.assignment;

/**
 * A report of a client on its use of a limit.
 *
 * @param client its name
 * @param record by its last assignment; {@link #UNKNOWN} or {@link #FRESH} if it names none
 * @param arrived the sequence of the newest assignment that has arrived at the client for sure; 0 for none
 * @param ageMicros the time since that assignment was requested
 * @param used requests since the last report, admitted or denied, as the time that the whole limit needs for them, in
 *     microseconds times {@link Assignment#WHOLE}; at most {@link #MOST_USED}
 */
public record UsageReport(String client, long record, long arrived, long ageMicros, long used) {
  /** The first report by a connection, of a client that may have an assignment by another one. */
  public static final long UNKNOWN = 0;

  /** The report of a client that has no assignment. */
  public static final long FRESH = -1;

  /** The most that one report counts: a day of sixteen times the limit's rate, and more than that of none. */
  public static final long MOST_USED = 1L << 52;
}
