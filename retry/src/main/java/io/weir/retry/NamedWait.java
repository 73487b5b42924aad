package io.weir.retry;

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
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads the wait that an answer names, in milliseconds, rounded up: {@code Retry-After} (RFC 9110, section 10.2.3) or
 * its millisecond form; for a 429 that has neither, {@code RateLimit} (draft-ietf-httpapi-ratelimit-headers-10), the
 * headers that OpenAI introduced, {@code RateLimit-Reset} or {@code X-RateLimit-Reset}. Values that are invalid or in
 * the past are ignored; a wait is never invented.
 */
public final class NamedWait {
  private static final int TOO_MANY = 429;
  private static final Duration MOST_APART = Duration.ofDays(7);
  private static final long EPOCH_SECONDS_FROM = 1_000_000_000;
  private static final Pattern NUMBER = Pattern.compile("\\d{1,30}(?:\\.\\d{1,30})?");
  private static final Pattern PARTS = Pattern.compile("(?:\\d{1,9}(?:\\.\\d{1,9})?(?:ms|s|m|h))+");
  private static final Pattern PART = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h)");
  private static final int LONGEST_RESET = 40;
  // RFC 9110, section 5.6.7: recipients must accept all three formats.
  private static final List<DateTimeFormatter> DATES = List.of(
      DateTimeFormatter.RFC_1123_DATE_TIME,
      DateTimeFormatter.ofPattern("EEEE, dd-MMM-yy HH:mm:ss zzz", Locale.US),
      DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.US).withZone(ZoneOffset.UTC));

  private final Function<String, List<String>> headers;
  private final Instant now;
  private final long longestMillis;

  private NamedWait(Function<String, List<String>> headers, Instant now, long longestMillis) {
    this.headers = headers;
    this.longestMillis = longestMillis;
    // By the server's clock, unless it is off by a week.
    this.now = first(headers, "Date")
        .flatMap(NamedWait::date)
        .filter(date -> Duration.between(now, date).abs().compareTo(MOST_APART) < 0)
        .orElse(now);
  }

  /**
   * The wait; empty if the answer names none.
   *
   * @param headers all values of a header, by its name in any case
   * @param now the time of day, if the answer has no date of its own
   * @param longestMillis longer waits are cut to this
   */
  public static OptionalLong millis(
      int status, Function<String, List<String>> headers, Instant now, long longestMillis) {
    return new NamedWait(headers, now, longestMillis).of(status);
  }

  private OptionalLong of(int status) {
    OptionalLong exact = ahead(number("Retry-After-Ms", 1));
    OptionalLong whole = ahead(retryAfter());
    // If both forms name the same wait, the finer one counts; if they contradict each other, the
    // standard one.
    if (exact.isPresent()
        && (whole.isEmpty() || whole.getAsLong() == ceilSeconds(exact.getAsLong()) * 1000)) {
      return exact;
    }
    return whole.isPresent() || status != TOO_MANY ? whole : quotas();
  }

  private static long ceilSeconds(long millis) {
    return (millis + 999) / 1000;
  }

  private OptionalLong ahead(Optional<Long> millis) {
    return millis.filter(known -> known > 0).stream()
        .mapToLong(known -> Math.min(longestMillis, known))
        .findFirst();
  }

  private static Optional<String> first(Function<String, List<String>> headers, String name) {
    return headers.apply(name).stream().findFirst();
  }

  private Optional<Long> number(String name, long unitMillis) {
    return first(headers, name)
        .map(String::strip)
        .filter(text -> NUMBER.matcher(text).matches())
        .map(text -> new BigDecimal(text)
            .multiply(BigDecimal.valueOf(unitMillis))
            .setScale(0, RoundingMode.CEILING)
            .min(BigDecimal.valueOf(Long.MAX_VALUE / 1000))
            .longValueExact());
  }

  private Optional<Long> retryAfter() {
    Optional<Long> seconds = number("Retry-After", 1000);
    return seconds.isPresent()
        ? seconds
        : first(headers, "Retry-After")
            .flatMap(NamedWait::date)
            .filter(now::isBefore)
            .map(date -> until(Duration.between(now, date)));
  }

  // Bounded before the conversion, as the date may be very far.
  private long until(Duration wait) {
    return wait.compareTo(Duration.ofMillis(longestMillis)) > 0 ? longestMillis : wait.toMillis();
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
  private OptionalLong quotas() {
    Stream<Long> items = headers.apply("RateLimit").stream()
        .flatMap(value -> QuotaHeader.seconds(value).stream().boxed())
        .map(seconds -> seconds * 1000);
    Stream<Long> resets = Stream.of("requests", "tokens").flatMap(what -> reset(what).stream());
    OptionalLong last = Stream.concat(items, resets)
        .flatMap(millis -> ahead(Optional.of(millis)).stream().boxed())
        .mapToLong(millis -> millis)
        .max();
    return last.isPresent() ? last : window();
  }

  private OptionalLong window() {
    return ahead(Stream.of("RateLimit-Reset", "X-RateLimit-Reset")
        .flatMap(name -> number(name, 1).stream())
        .findFirst()
        .map(this::sinceNow));
  }

  // Some servers send an instant, others a span.
  private long sinceNow(long value) {
    if (value >= EPOCH_SECONDS_FROM * 1000) {
      return value - now.toEpochMilli(); // in milliseconds
    }
    return value >= EPOCH_SECONDS_FROM ? value * 1000 - now.toEpochMilli() : value * 1000;
  }

  // x-ratelimit-remaining-requests: 0, x-ratelimit-reset-requests: 6m0.5s
  private Optional<Long> reset(String what) {
    String left = first(headers, "x-ratelimit-remaining-" + what).orElse("");
    String reset = first(headers, "x-ratelimit-reset-" + what).orElse("");
    if (!left.equals("0")
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
