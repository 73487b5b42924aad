package io.weir.client.retry;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the wait in an answer, in milliseconds, rounded up. Values that are invalid or in the past are ignored. */
public final class RetryAfterHeaders {
  /** The upper bound of waits; longer ones make no difference. */
  private static final long FOREVER_MILLIS = Duration.ofDays(100_000).toMillis();

  private static final Duration MOST_APART = Duration.ofDays(7);
  private static final long EPOCH_SECONDS_FROM = 1_000_000_000;
  private static final Pattern NUMBER = Pattern.compile("\\d{1,30}(\\.\\d{1,30})?");
  // draft-ietf-httpapi-ratelimit-headers-10, section 4: one item per quota, its name in quotes.
  private static final Pattern COMMA = Pattern.compile(",");
  private static final Pattern REMAINING = Pattern.compile(";\\s*r=(\\d{1,15})");
  private static final Pattern RESET = Pattern.compile(";\\s*t=(\\d{1,15})");
  // RFC 9110, section 5.6.7: recipients must accept all three.
  private static final List<DateTimeFormatter> DATES = List.of(
      DateTimeFormatter.RFC_1123_DATE_TIME,
      DateTimeFormatter.ofPattern("EEEE, dd-MMM-yy HH:mm:ss zzz", Locale.US),
      DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.US).withZone(ZoneOffset.UTC));

  private final Headers headers;
  private final Instant now;

  private RetryAfterHeaders(Headers headers, Instant now) {
    this.headers = headers;
    this.now = headers
        .first("Date")
        .flatMap(RetryAfterHeaders::date)
        // A clock that is a week off is not used.
        .filter(date -> Duration.between(now, date).abs().compareTo(MOST_APART) < 0)
        .orElse(now);
  }

  /**
   * Returns the wait of an answer.
   *
   * @param now the time of day, for a server that does not send its own
   */
  public static OptionalLong millis(int status, Headers headers, Instant now) {
    return new RetryAfterHeaders(headers, now).of(status);
  }

  private OptionalLong of(int status) {
    OptionalLong exact = ahead(number("Retry-After-Ms", 1));
    OptionalLong whole = ahead(retryAfter());
    // Two headers with the same wait: the finer unit. If they contradict each other: the standard
    // header.
    if (exact.isPresent()
        && (whole.isEmpty() || whole.getAsLong() == ceilSeconds(exact.getAsLong()) * 1000)) {
      return exact;
    }
    if (whole.isPresent()) {
      return whole;
    }
    return status == 429 ? ahead(reset()) : OptionalLong.empty();
  }

  private OptionalLong retryAfter() {
    OptionalLong seconds = number("Retry-After", 1000);
    return seconds.isPresent()
        ? seconds
        : headers
            .first("Retry-After")
            .flatMap(RetryAfterHeaders::date)
            .map(date -> OptionalLong.of(
                date.isAfter(now.plusMillis(FOREVER_MILLIS))
                    ? FOREVER_MILLIS
                    : date.isBefore(now) ? 0 : Duration.between(now, date).toMillis()))
            .orElse(OptionalLong.empty());
  }

  // The time when the last exhausted quota has room again.
  private OptionalLong reset() {
    OptionalLong quotas = headers.all("RateLimit").stream()
        .flatMap(value -> COMMA.splitAsStream(unquoted(value)))
        .filter(item -> found(REMAINING, item).orElse(1) == 0)
        .mapToLong(item -> found(RESET, item).orElse(0) * 1000)
        .max();
    if (quotas.isPresent()) {
      return quotas;
    }
    return Stream.of("RateLimit-Reset", "X-RateLimit-Reset")
        .map(name -> number(name, 1))
        .filter(OptionalLong::isPresent)
        .findFirst()
        .map(value -> OptionalLong.of(sinceNow(value.getAsLong())))
        .orElse(OptionalLong.empty());
  }

  // The value without quoted strings. Each character is read once: a server may send many.
  private static String unquoted(String value) {
    StringBuilder rest = new StringBuilder(value.length());
    boolean isQuoted = false;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (isQuoted && c == '\\') {
        i++;
      } else if (c == '"') {
        isQuoted = !isQuoted;
      } else if (!isQuoted) {
        rest.append(c);
      }
    }
    return rest.toString();
  }

  // Some servers send an instant, others a span.
  private long sinceNow(long value) {
    if (value >= EPOCH_SECONDS_FROM * 1000) {
      return value - now.toEpochMilli(); // in milliseconds
    }
    return value >= EPOCH_SECONDS_FROM ? value * 1000 - now.toEpochMilli() : value * 1000;
  }

  private OptionalLong number(String header, long unitMillis) {
    return headers
        .first(header)
        .map(String::strip)
        .filter(text -> NUMBER.matcher(text).matches())
        .map(text -> OptionalLong.of(new BigDecimal(text)
            .multiply(BigDecimal.valueOf(unitMillis))
            .setScale(0, RoundingMode.CEILING)
            .min(BigDecimal.valueOf(FOREVER_MILLIS))
            .longValueExact()))
        .orElse(OptionalLong.empty());
  }

  private static OptionalLong ahead(OptionalLong millis) {
    return millis.orElse(0) > 0 ? millis : OptionalLong.empty();
  }

  private static OptionalLong found(Pattern pattern, String item) {
    Matcher matcher = pattern.matcher(item);
    return matcher.find()
        ? OptionalLong.of(Long.parseLong(matcher.group(1)))
        : OptionalLong.empty();
  }

  private static long ceilSeconds(long millis) {
    return (millis + 999) / 1000;
  }

  private static Optional<Instant> date(String text) {
    return DATES.stream().flatMap(format -> parsed(format, text)).findFirst();
  }

  private static Stream<Instant> parsed(DateTimeFormatter format, String text) {
    try {
      TemporalAccessor date = format.parse(text.strip());
      return Stream.of(Instant.from(date));
    } catch (DateTimeException e) {
      return Stream.empty();
    }
  }
}
