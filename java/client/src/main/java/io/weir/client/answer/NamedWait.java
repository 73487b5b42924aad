package io.weir.client.answer;

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
 * headers of OpenAI and Anthropic, {@code RateLimit-Reset} or {@code X-RateLimit-Reset}. Of several values of a header
 * the longest wait counts. Values that are invalid or in the past are ignored; a wait is never invented.
 */
public final class NamedWait {
  private static final int TOO_MANY = 429;
  private static final Duration MOST_APART = Duration.ofDays(7);
  private static final long EPOCH_SECONDS_FROM = 1_000_000_000;
  private static final Pattern NUMBER = Pattern.compile("\\d{1,30}(?:\\.\\d{1,30})?");
  private static final Pattern NONE_LEFT =
      Pattern.compile("-\\d{1,30}(?:\\.\\d{1,30})?|0{1,30}(?:\\.0{1,30})?");
  // Items of a list: a comma inside of a date is followed by the number of the day.
  private static final Pattern NEXT =
      Pattern.compile(",(?=\\s*+(?:[0-9.]++\\s*+(?:,|$)|[A-Za-z]))");
  private static final Pattern PARTS = Pattern.compile("(?:\\d{1,9}(?:\\.\\d{1,9})?(?:ms|s|m|h))+");
  private static final Pattern PART = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h)");
  private static final int LONGEST_RESET = 40;
  // RFC 9110, section 5.6.7: recipients must accept the first three formats. Anthropic sends the
  // last one (RFC 3339).
  private static final List<DateTimeFormatter> DATES = List.of(
      DateTimeFormatter.RFC_1123_DATE_TIME,
      DateTimeFormatter.ofPattern("EEEE, dd-MMM-yy HH:mm:ss zzz", Locale.US),
      DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.US).withZone(ZoneOffset.UTC),
      DateTimeFormatter.ISO_OFFSET_DATE_TIME);

  private final Function<String, List<String>> headers;
  private final Instant now;
  private final long longestMillis;

  private NamedWait(Function<String, List<String>> headers, Instant now, long longestMillis) {
    this.headers = headers;
    this.longestMillis = longestMillis;
    // By the server's clock, unless it is off by a week.
    this.now = values(headers, "Date")
        .findFirst()
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
    OptionalLong exact = longest(numbers("Retry-After-Ms"));
    OptionalLong whole = longest(values("Retry-After").flatMap(this::retryAfter));
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

  // A proxy may add a line of its own: a caller that comes after the longest wait disturbs nobody.
  private OptionalLong longest(Stream<Long> millis) {
    return millis
        .filter(known -> known > 0)
        .mapToLong(known -> Math.min(longestMillis, known))
        .max();
  }

  // All lines of a header, and all items of a line.
  private static Stream<String> values(Function<String, List<String>> headers, String name) {
    return headers.apply(name).stream().flatMap(NEXT::splitAsStream).map(String::strip);
  }

  private Stream<String> values(String name) {
    return values(headers, name);
  }

  private Stream<Long> numbers(String name) {
    return values(name).flatMap(text -> number(text, 1));
  }

  private static Stream<Long> number(String text, long unitMillis) {
    return NUMBER.matcher(text).matches()
        ? Stream.of(new BigDecimal(text)
            .multiply(BigDecimal.valueOf(unitMillis))
            .setScale(0, RoundingMode.CEILING)
            .min(BigDecimal.valueOf(Long.MAX_VALUE / 1000))
            .longValueExact())
        : Stream.empty();
  }

  private Stream<Long> retryAfter(String text) {
    return Stream.concat(number(text, 1000), untilDate(text));
  }

  private Stream<Long> untilDate(String text) {
    return date(text)
        .filter(now::isBefore)
        .map(date -> until(Duration.between(now, date)))
        .stream();
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
      return Stream.of(Instant.from(format.parse(text)));
    } catch (DateTimeException e) {
      return Stream.empty();
    }
  }

  // The time until the last of the exhausted quotas has room again.
  private OptionalLong quotas() {
    Stream<Long> items = headers.apply("RateLimit").stream()
        .flatMap(value -> QuotaHeader.seconds(value).stream().boxed())
        .map(seconds -> seconds * 1000);
    OptionalLong last = longest(Stream.of(items, openAi(), anthropic()).flatMap(resets -> resets));
    return last.isPresent() ? last : longest(windows());
  }

  private Stream<Long> windows() {
    return Stream.of("RateLimit-Reset", "X-RateLimit-Reset").flatMap(this::resets);
  }

  private Stream<Long> openAi() {
    return Stream.of("requests", "tokens")
        .filter(what -> isExhausted("x-ratelimit-remaining-" + what))
        .flatMap(what -> resets("x-ratelimit-reset-" + what));
  }

  private Stream<Long> anthropic() {
    Stream<Long> unified = values("anthropic-ratelimit-unified-status").anyMatch("rejected"::equals)
        ? resets("anthropic-ratelimit-unified-reset")
        : Stream.empty();
    Stream<Long> quotas = Stream.of("requests", "tokens", "input-tokens", "output-tokens")
        .map(what -> "anthropic-ratelimit-" + what)
        .filter(quota -> isExhausted(quota + "-remaining"))
        .flatMap(quota -> resets(quota + "-reset"));
    return Stream.concat(unified, quotas);
  }

  // Below zero if requests were admitted beyond the quota.
  private boolean isExhausted(String remaining) {
    return values(remaining).anyMatch(left -> NONE_LEFT.matcher(left).matches());
  }

  private Stream<Long> resets(String name) {
    return values(name).flatMap(this::reset);
  }

  // Some servers send a number, others a time with units, others a date.
  private Stream<Long> reset(String text) {
    if (text.length() > LONGEST_RESET) {
      return Stream.empty();
    }
    return PARTS.matcher(text).matches()
        ? Stream.of(sum(text))
        : Stream.concat(number(text, 1).map(this::sinceNow), untilDate(text));
  }

  // Some servers send an instant, others a span.
  private long sinceNow(long value) {
    if (value >= EPOCH_SECONDS_FROM * 1000) {
      return value - now.toEpochMilli(); // in milliseconds
    }
    return value >= EPOCH_SECONDS_FROM ? value * 1000 - now.toEpochMilli() : value * 1000;
  }

  // 6m0.5s
  private static long sum(String text) {
    double millis = 0;
    Matcher part = PART.matcher(text);
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
    return (long) Math.ceil(millis);
  }
}
