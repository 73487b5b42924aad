package io.weir.node.provider;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The longest wait that a provider's answer names, in milliseconds: {@code Retry-After} (RFC 9110, section 10.2.3), its
 * millisecond form, {@code RateLimit} (draft-ietf-httpapi-ratelimit-headers-10), or the headers that OpenAI's interface
 * began with. A wait that nobody named is never invented.
 */
final class WaitTold {
  /** Whatever is told, so long is the longest that is believed. */
  static final long LONGEST_MILLIS = 3_600_000;

  private static final Pattern DIGITS = Pattern.compile("\\d{1,9}");
  private static final Pattern RATE_LIMIT =
      Pattern.compile(";\\s*r=0\\s*(?:;[^,]*)?;\\s*t=(\\d{1,9})");
  private static final Pattern PART = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h)");

  private WaitTold() {}

  /** The wait; nothing where none is named. */
  static OptionalLong millis(MultiMap headers, Instant now) {
    return Stream.of(
            number(headers.get("Retry-After-Ms")),
            retryAfter(headers, now),
            rateLimit(headers),
            reset(headers, "requests"),
            reset(headers, "tokens"))
        .flatMap(Optional::stream)
        .filter(millis -> millis > 0)
        .mapToLong(millis -> Math.min(LONGEST_MILLIS, millis))
        .max();
  }

  private static Optional<Long> number(String text) {
    return text != null && DIGITS.matcher(text).matches()
        ? Optional.of(Long.parseLong(text))
        : Optional.empty();
  }

  private static Optional<Long> retryAfter(MultiMap headers, Instant now) {
    String text = headers.get(HttpHeaders.RETRY_AFTER);
    Optional<Long> seconds = number(text);
    if (text == null || seconds.isPresent()) {
      return seconds.map(known -> known * 1000);
    }
    try {
      Instant at = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text));
      return Optional.of(Duration.between(now, at).toMillis());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Optional<Long> rateLimit(MultiMap headers) {
    String text = headers.get("RateLimit");
    Matcher item = RATE_LIMIT.matcher(text == null ? "" : text);
    return item.results()
        .map(one -> Long.parseLong(one.group(1)) * 1000)
        .max(Comparator.naturalOrder());
  }

  // x-ratelimit-remaining-requests: 0, x-ratelimit-reset-requests: 6m0.5s
  private static Optional<Long> reset(MultiMap headers, String what) {
    String left = headers.get("x-ratelimit-remaining-" + what);
    String reset = headers.get("x-ratelimit-reset-" + what);
    if (!"0".equals(left) || reset == null || reset.length() > 40) {
      return Optional.empty();
    }
    Matcher part = PART.matcher(reset);
    double millis = 0;
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
