package io.weir.keys.record;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads moments: an instant, or so long from now. */
public final class InstantText {
  private static final String LATER = "\\+[1-9]\\d{0,7}[smhd]";
  private static final long LATEST = Instant.parse("9999-12-31T23:59:59Z").toEpochMilli();

  private InstantText() {}

  /**
   * A moment in milliseconds since the epoch; empty if the value is null or a mistake.
   *
   * @param nowMillis by Redis's clock
   * @param mistakes gets a line for a mistake
   */
  public static OptionalLong read(
      @Nullable Object value, String field, long nowMillis, List<String> mistakes) {
    if (value == null) {
      return OptionalLong.empty();
    }
    try {
      if (value instanceof String text) {
        long millis = text.matches(LATER)
            ? nowMillis + duration(text.substring(1)).toMillis()
            : Instant.parse(text).toEpochMilli();
        if (millis > 0 && millis <= LATEST) {
          return OptionalLong.of(millis);
        }
      }
    } catch (DateTimeException | ArithmeticException e) {
      mistakes.add(mistake(field));
      return OptionalLong.empty();
    }
    mistakes.add(mistake(field));
    return OptionalLong.empty();
  }

  private static String mistake(String field) {
    return field
        + ": (expected: an instant such as 2027-01-31T12:00:00Z, or +90s, +30m, +12h, +7d)";
  }

  /** A whole number of {@code s}, {@code m}, {@code h} or {@code d}. */
  public static Duration duration(String text) {
    long number = Long.parseLong(text.substring(0, text.length() - 1));
    return switch (text.charAt(text.length() - 1)) {
      case 's' -> Duration.ofSeconds(number);
      case 'm' -> Duration.ofMinutes(number);
      case 'h' -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }
}
