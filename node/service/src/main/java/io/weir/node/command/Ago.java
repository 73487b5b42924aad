package io.weir.node.command;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Times as people say them: how long ago, or how soon. */
public final class Ago {
  private static final long MINUTE = 60;
  private static final long EXACT = 10 * MINUTE;
  private static final long HOUR = 3600;
  private static final long DAY = 86_400;
  private static final Pattern IN_SENTENCE =
      Pattern.compile("\\b(at|until) (\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z)");

  private Ago() {}

  /** The time from an instant until now, such as {@code 16 min}; one that is ahead of this clock is just now. */
  public static String since(String instant, Instant now) {
    return length(Duration.between(Instant.parse(instant), now));
  }

  /**
   * An instant in words: {@code 16 min ago}, rounded down, or {@code in 2 h}, rounded to the nearest unit, below ten
   * seconds up to a tenth; empty if there is none.
   */
  public static String words(String instant, Instant now) {
    if (instant.isEmpty()) {
      return "";
    }
    Instant at = Instant.parse(instant);
    return at.isAfter(now)
        ? "in " + ahead(Duration.between(now, at))
        : length(Duration.between(at, now)) + " ago";
  }

  /** An instant that is awaited: {@code in 2 h}, or {@code now} if it has passed or there is none. */
  public static String ahead(String instant, Instant now) {
    boolean isAhead = !instant.isEmpty() && Instant.parse(instant).isAfter(now);
    return isAhead ? words(instant, now) : "now";
  }

  /**
   * A sentence with times from now in place of its instants: of one that follows {@code at} as {@link #words}, of one that
   * follows {@code until} and is ahead {@code for 2 h}.
   */
  public static String sentence(String text, Instant now) {
    return IN_SENTENCE.matcher(text).replaceAll(found -> fromNow(found, now));
  }

  private static String fromNow(MatchResult found, Instant now) {
    Instant at = Instant.parse(found.group(2));
    if (found.group(1).equals("at")) {
      return words(found.group(2), now);
    }
    return at.isAfter(now)
        ? "for " + ahead(Duration.between(now, at))
        : "until " + words(found.group(2), now);
  }

  private static String ahead(Duration time) {
    long seconds = time.toSeconds();
    long unit = seconds < EXACT ? 0 : seconds < HOUR ? MINUTE : seconds < 2 * DAY ? HOUR : DAY;
    return precisely(time.plusSeconds(unit / 2).plusNanos(999_999).toMillis());
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
