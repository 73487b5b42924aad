package io.weir.client.retry;

import java.time.Duration;

/**
 * Spreads waits that the server did not name, so that callers that failed together do not come back together.
 *
 * @param kind how it spreads
 * @param share of the wait, 0 to 1; without meaning for {@link Form#FULL} and {@link Form#SPAN}
 * @param span the longest addition of {@link Form#SPAN}, 0 to 7 days; without meaning for the other kinds
 */
public record Jitter(Form kind, double share, Duration span) {
  /** No jitter. */
  public static final Jitter NONE = new Jitter(Form.AROUND, 0);

  /** From zero to the whole wait: "full jitter". */
  public static final Jitter FULL = new Jitter(Form.FULL, 1);

  /** How a wait is spread. */
  public enum Form {
    /** Up to a share less or more. */
    AROUND,
    /** Up to a share more. */
    ADDED,
    /** From zero to the whole wait. */
    FULL,
    /** Up to a duration more, for any wait. */
    SPAN
  }

  /** Jitter by a share of the wait. */
  public Jitter(Form kind, double share) {
    this(kind, share, Duration.ZERO);
  }

  /** From {@code wait × (1 − share)} to {@code wait × (1 + share)}. */
  public static Jitter around(double share) {
    return new Jitter(Form.AROUND, share);
  }

  /** From {@code wait} to {@code wait × (1 + share)}. */
  public static Jitter added(double share) {
    return new Jitter(Form.ADDED, share);
  }

  /** From {@code wait} to {@code wait + span}; also if the wait is {@code maxBackoff}, the longest one. */
  public static Jitter added(Duration span) {
    return new Jitter(Form.SPAN, 0, span);
  }

  /**
   * Spreads a wait by a random number from 0 to below 1.
   *
   * @param longest the bound of a wait spread by a share; a wait spread by a duration exceeds it by at most that
   *     duration, because otherwise all waits of that length would end together
   */
  long spread(long millis, long longest, double random) {
    return switch (kind) {
      case AROUND -> Math.min(longest, (long) (millis * (1 - share + 2 * share * random)));
      case ADDED -> Math.min(longest, (long) (millis * (1 + share * random)));
      case FULL -> Math.min(longest, (long) (millis * random));
      case SPAN -> millis + (long) (span.toMillis() * random);
    };
  }
}
