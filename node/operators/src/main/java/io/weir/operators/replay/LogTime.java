package io.weir.operators.replay;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.Optional;

/**
 * A moment as a log has it. Immutable.
 *
 * @param micros since the epoch
 * @param isWholeSecond whether the log tells no part of a second
 */
record LogTime(long micros, boolean isWholeSecond) {
  private static final long MICROS_PER_SECOND = 1_000_000;

  // Apache HTTP Server, "Log Files": 10/Oct/2000:13:55:36 -0700.
  private static final DateTimeFormatter COMMON = new DateTimeFormatterBuilder()
      .appendPattern("dd/MMM/yyyy:HH:mm:ss")
      .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
      .appendPattern(" Z")
      .toFormatter(Locale.ROOT);

  // ISO 8601 and RFC 3339, which allows a blank between date and time; the offset with or without a
  // colon.
  private static final DateTimeFormatter ISO = new DateTimeFormatterBuilder()
      .append(DateTimeFormatter.ISO_LOCAL_DATE)
      .appendPattern("['T'][' ']")
      .append(DateTimeFormatter.ISO_LOCAL_TIME)
      .appendPattern("[XXX][XX][X]")
      .toFormatter(Locale.ROOT);

  /** A time of the common log format. */
  static Optional<LogTime> common(String text) {
    return parse(text, COMMON);
  }

  /** A time as of ISO 8601 with an offset, or of the common log format. */
  static Optional<LogTime> text(String text) {
    return parse(text, ISO).or(() -> common(text));
  }

  private static Optional<LogTime> parse(String text, DateTimeFormatter form) {
    try {
      Instant instant = OffsetDateTime.parse(text, form).toInstant();
      long micros = instant.getEpochSecond() * MICROS_PER_SECOND + instant.getNano() / 1000;
      return Optional.of(new LogTime(micros, text.indexOf('.') < 0));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
