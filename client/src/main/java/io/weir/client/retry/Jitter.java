package io.weir.client.retry;

/**
 * What spreads waits that nobody named, so that those who failed together do not come back together.
 *
 * @param kind how it spreads
 * @param share of the wait, 0 to 1; without meaning where it is full
 */
public record Jitter(Kind kind, double share) {
  /** Every wait as it is. */
  public static final Jitter NONE = new Jitter(Kind.AROUND, 0);

  /** Anything from nothing to the wait: "full jitter". */
  public static final Jitter FULL = new Jitter(Kind.FULL, 1);

  /** How a wait is spread. */
  public enum Kind {
    /** Up to a share less, up to a share more. */
    AROUND,
    /** Up to a share more. */
    ADDED,
    /** Anything from nothing to the wait. */
    FULL
  }

  /** From {@code wait × (1 − share)} to {@code wait × (1 + share)}. */
  public static Jitter around(double share) {
    return new Jitter(Kind.AROUND, share);
  }

  /** From {@code wait} to {@code wait × (1 + share)}. */
  public static Jitter added(double share) {
    return new Jitter(Kind.ADDED, share);
  }

  /** A wait in milliseconds, spread by a random number from 0 to below 1. */
  long spread(long millis, double random) {
    double factor = switch (kind) {
      case AROUND -> 1 - share + 2 * share * random;
      case ADDED -> 1 + share * random;
      case FULL -> random;
    };
    return (long) (millis * factor);
  }
}
