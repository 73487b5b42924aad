package io.weir.node.provider;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads the wait that a provider's answer names, in milliseconds: {@code Retry-After} (RFC 9110, section 10.2.3) or its
 * millisecond form; for a 429 that has neither, {@code RateLimit} (draft-ietf-httpapi-ratelimit-headers-10), or the
 * headers that OpenAI introduced. A wait is never invented.
 */
final class WaitTold {
  /** Longer waits are cut to this. */
  static final long LONGEST_MILLIS = 3_600_000;

  private static final int TOO_MANY = 429;
  private static final Duration MOST_APART = Duration.ofDays(7);
  private static final Pattern NUMBER = Pattern.compile("\\d{1,15}(?:\\.\\d{1,15})?");
  private static final Pattern PARTS = Pattern.compile("(?:\\d{1,9}(?:\\.\\d{1,9})?(?:ms|s|m|h))+");
  private static final Pattern PART = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h)");
  private static final int LONGEST_RESET = 40;
  // RFC 9110, section 5.6.7: recipients must accept all three formats.
  private static final List<DateTimeFormatter> DATES = List.of(
      DateTimeFormatter.RFC_1123_DATE_TIME,
      DateTimeFormatter.ofPattern("EEEE, dd-MMM-yy HH:mm:ss zzz", Locale.US),
      DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.US).withZone(ZoneOffset.UTC));

  private WaitTold() {}

  /**
   * The wait; empty if the answer names none.
   *
   * @param now the time of day, if the answer has no date of its own
   */
  static OptionalLong millis(int status, MultiMap headers, Instant now) {
    OptionalLong exact = ahead(number(headers.get("Retry-After-Ms"), 1));
    OptionalLong whole = ahead(retryAfter(headers, now));
    // If both forms name the same wait, the finer one counts; if they contradict each other, the
    // standard one.
    if (exact.isPresent()
        && (whole.isEmpty() || whole.getAsLong() == (exact.getAsLong() + 999) / 1000 * 1000)) {
      return exact;
    }
    return whole.isPresent() || status != TOO_MANY ? whole : quotas(headers);
  }

  private static OptionalLong ahead(Optional<Long> millis) {
    return millis.filter(known -> known > 0).stream()
        .mapToLong(known -> Math.min(LONGEST_MILLIS, known))
        .findFirst();
  }

  private static Optional<Long> number(String text, int unitMillis) {
    return text != null && NUMBER.matcher(text.strip()).matches()
        ? Optional.of(new BigDecimal(text.strip())
            .multiply(BigDecimal.valueOf(unitMillis))
            .setScale(0, RoundingMode.CEILING)
            .longValueExact())
        : Optional.empty();
  }

  private static Optional<Long> retryAfter(MultiMap headers, Instant now) {
    String text = headers.get(HttpHeaders.RETRY_AFTER);
    Optional<Long> seconds = number(text, 1000);
    if (text == null || seconds.isPresent()) {
      return seconds;
    }
    // By the provider's clock, unless it is off by a week.
    Instant then = Optional.ofNullable(headers.get(HttpHeaders.DATE))
        .flatMap(WaitTold::date)
        .filter(date -> Duration.between(now, date).abs().compareTo(MOST_APART) < 0)
        .orElse(now);
    return date(text).filter(then::isBefore).map(date -> millis(Duration.between(then, date)));
  }

  // Bounded before the conversion, as the date may be very far.
  private static long millis(Duration wait) {
    return wait.compareTo(Duration.ofMillis(LONGEST_MILLIS)) > 0 ? LONGEST_MILLIS : wait.toMillis();
  }

  private static Optional<Instant> date(String text) {
    return DATES.stream().flatMap(format -> parsed(format, text)).findFirst();
  }

  private static Stream<Instant> parsed(DateTimeFormatter format, String text) {
    try {
      return Stream.of(Instant.from(format.parse(text.strip())));
    } catch (DateTimeException e) {
      return Stream.empty();
    }
  }

  // The time until the last of the exhausted quotas has room again.
  private static OptionalLong quotas(MultiMap headers) {
    Stream<Long> items = headers.getAll("RateLimit").stream()
        .flatMap(value -> QuotaHeader.seconds(value).stream().boxed())
        .map(seconds -> seconds * 1000);
    Stream<Long> resets =
        Stream.of("requests", "tokens").flatMap(what -> reset(headers, what).stream());
    return Stream.concat(items, resets)
        .flatMap(millis -> ahead(Optional.of(millis)).stream().boxed())
        .mapToLong(millis -> millis)
        .max();
  }

  // x-ratelimit-remaining-requests: 0, x-ratelimit-reset-requests: 6m0.5s
  private static Optional<Long> reset(MultiMap headers, String what) {
    String left = headers.get("x-ratelimit-remaining-" + what);
    String reset = headers.get("x-ratelimit-reset-" + what);
    if (!"0".equals(left)
        || reset == null
        || reset.length() > LONGEST_RESET
        || !PARTS.matcher(reset).matches()) {
      return Optional.empty();
    }
    double millis = 0;
    Matcher part = PART.matcher(reset);
    while (part.find()) {
      double number = Double.parseDouble(part.group(1));
      millis += number
          * switch (part.group(2)) {
            case "ms" -> 1;
            case "s" -> 1000;
            case "m" -> 60_000;
            default -> 3_600_000;
          };
    }
    return Optional.of((long) Math.ceil(millis));
  }
}
