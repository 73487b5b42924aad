package io.weir.core.assignment;

import java.time.Duration;

/**
 * The answer to a report: a token bucket for its client. Both of its numbers are parts of the limit, of which the whole
 * has {@link #WHOLE}.
 *
 * @param rate 0 if nothing is free now
 * @param burst 0 if nothing is free now
 * @param sequence of the answer; later ones of a limit have higher numbers
 * @param record of the client, see {@link UsageReport#record}; 0 if there is none
 * @param isAbandoned whether the client has not used the limit for a while, and has nothing any more
 */
public record Assignment(long rate, long burst, long sequence, long record, boolean isAbandoned) {
  /** The parts of a limit. */
  public static final long WHOLE = 1L << 16;

  /** How long a client may use an assignment, from its arrival on. */
  public static final Duration LASTS = Duration.ofSeconds(10);

  /** The most time from the decision on an assignment to its arrival at the client. */
  public static final Duration ARRIVES = Duration.ofMillis(500);
}
