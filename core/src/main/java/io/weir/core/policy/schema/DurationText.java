package io.weir.core.policy.schema;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Durations as a policy writes them: a whole number and ms, s, m, h or d. A day has 24 hours. */
public final class DurationText {
  /** The texts that {@link #parse} reads, as a regular expression. */
  public static final String PATTERN = "([0-9]{1,9})(ms|s|m|h|d)";

  private static final Pattern FORM = Pattern.compile(PATTERN);

  private enum Unit {
    D(86_400_000),
    H(3_600_000),
    M(60_000),
    S(1000),
    MS(1);

    private final long millis;

    Unit(long millis) {
      this.millis = millis;
    }

    String written(long millis) {
      return millis / this.millis + name().toLowerCase(Locale.ROOT);
    }
  }

  private DurationText() {}

  /** The duration; empty for a text of another form. */
  public static Optional<Duration> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    // Below 2^57: nine digits of days.
    Unit unit = Unit.valueOf(matcher.group(2).toUpperCase(Locale.ROOT));
    return Optional.of(Duration.ofMillis(Long.parseLong(matcher.group(1)) * unit.millis));
  }

  /** The duration in its largest whole unit. */
  static String of(Duration duration) {
    long millis = duration.toMillis();
    return millis == 0
        ? Unit.S.written(0)
        : Stream.of(Unit.values())
            .filter(unit -> millis % unit.millis == 0)
            .findFirst()
            .orElseThrow()
            .written(millis);
  }
}
