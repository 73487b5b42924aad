package io.weir.node.command;

import java.time.Duration;
import java.time.Instant;

/** Times as people say them: how long ago, or how soon. */
public final class Ago {
  private static final long MINUTE = 60;
  private static final long EXACT = 10 * MINUTE;
  private static final long HOUR = 3600;
  private static final long DAY = 86_400;

  private Ago() {}

  /** The time from an instant until now, such as {@code 16 min}; one that is ahead of this clock is just now. */
  public static String since(String instant, Instant now) {
    return length(Duration.between(Instant.parse(instant), now));
  }

  /** An instant in words: {@code 16 min ago} or {@code in 2 h}; empty if there is none. */
  public static String words(String instant, Instant now) {
    if (instant.isEmpty()) {
      return "";
    }
    Instant at = Instant.parse(instant);
    return at.isAfter(now)
        ? "in " + length(Duration.between(now, at))
        : length(Duration.between(at, now)) + " ago";
  }

  /** A wait, to a tenth of a second if it is short; rounded up. */
  public static String precisely(long millis) {
    return millis >= 10_000
        ? length(Duration.ofMillis(millis + 999))
        : "%.1f s".formatted(Math.ceil(millis / 100.0) / 10);
  }

  /** A duration by its largest unit, below ten minutes to the second; rounded down. */
  public static String length(Duration time) {
    long seconds = Math.max(0, time.toSeconds());
    if (seconds < MINUTE) {
      return seconds + " s";
    }
    if (seconds < EXACT) {
      return "%d min %d s".formatted(seconds / MINUTE, seconds % MINUTE);
    }
    if (seconds < HOUR) {
      return seconds / MINUTE + " min";
    }
    return seconds < 2 * DAY ? seconds / HOUR + " h" : seconds / DAY + " d";
  }
}
