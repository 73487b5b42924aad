package io.weir.core.assignment;

/**
 * A limit that is divided: it holds as many requests as pass in its period.
 *
 * @param requests above 0, at most 2³² - 1
 * @param seconds its period, at most {@link #MOST_SECONDS}
 */
public record DividedLimit(long requests, long seconds) {
  /** The longest period, a day: in Lua, the microseconds in it times {@link Assignment#WHOLE} are below 2⁵³. */
  public static final long MOST_SECONDS = 86_400;

  private static final long MOST_REQUESTS = 0xFFFF_FFFFL;
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long FINE_FILL = Assignment.WHOLE << 4;

  public DividedLimit {
    if (requests < 1 || requests > MOST_REQUESTS) {
      throw new IllegalArgumentException("requests: " + requests + " (expected: 1 to 2^32 - 1)");
    }
    if (seconds < 1 || seconds > MOST_SECONDS) {
      throw new IllegalArgumentException("seconds: " + seconds + " (expected: 1 to a day)");
    }
  }

  /** The period. */
  public long micros() {
    return seconds * MICROS_PER_SECOND;
  }

  /** The smallest burst: the parts of one request, rounded up. */
  public long leastBurst() {
    return (Assignment.WHOLE + requests - 1) / requests;
  }

  /** Requests in a burst, rounded down. */
  public long tokens(long burst) {
    return burst * requests / Assignment.WHOLE;
  }

  /** The seconds in which {@link #tokensPerFill} requests pass: a power of two that is large enough for each rate to differ. */
  public long fillSeconds() {
    long fill = 1;
    while (fill * requests / seconds < FINE_FILL) {
      fill *= 2;
    }
    return fill;
  }

  /** Requests in {@link #fillSeconds} at a rate, rounded down. */
  public long tokensPerFill(long rate) {
    long whole = fillSeconds() * requests / seconds; // below 2³²
    return whole * rate / Assignment.WHOLE;
  }

  /** A number of requests as {@link UsageReport#used}. Only the division follows from it, so it need not be exact. */
  public long used(long reported) {
    double used = (double) reported / requests * micros() * Assignment.WHOLE;
    return (long) Math.min((double) UsageReport.MOST_USED, used);
  }
}
