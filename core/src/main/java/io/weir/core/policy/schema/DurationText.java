package io.weir.core.policy.schema;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as a policy writes them: a whole number and ms, s or m. */
public final class DurationText {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m)");

  private DurationText() {}

  /** The duration; empty for a text of another form. */
  public static Optional<Duration> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long number = Long.parseLong(matcher.group(1));
    return Optional.of(
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          default -> Duration.ofMinutes(number);
        });
  }

  static String of(Duration duration) {
    long millis = duration.toMillis();
    if (millis % 60_000 == 0) {
      return millis / 60_000 + "m";
    }
    return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }
}
