package io.weir.core.policy.read;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Rate;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rate as written in a policy: {@code opsPerSec}, {@code milliOpsPerSec}, or {@code rate} per second, minute, hour or
 * day.
 *
 * @param rate empty for a rate of 0
 * @param written the text of the rate, for messages
 */
record GivenRate(Optional<Rate> rate, String written) {
  private static final long MAX_MILLI_OPS_PER_SEC = Bucket.MAX_PRECISION;
  private static final long MAX_OPS_PER_SEC = MAX_MILLI_OPS_PER_SEC / 1000;
  private static final long SECOND_MICROS = 1_000_000;
  private static final Pattern FORM = Pattern.compile("(\\d{1,13})/(s|min|h|d)");
  private static final String EXPECTED =
      "a rate such as 10/s, 60/min, 100/h or 1/d, at most %d/s".formatted(MAX_OPS_PER_SEC);
  private static final String HINT =
      "; for other rates, rate: with a whole number per s, min, h or d, such as 60/min";

  private static final Field<Long> OPS_PER_SEC =
      Field.hinted("opsPerSec", 0, MAX_OPS_PER_SEC, HINT, "operations per second");
  private static final Field<Long> MILLI_OPS_PER_SEC = Field.hinted(
      "milliOpsPerSec",
      0,
      MAX_MILLI_OPS_PER_SEC,
      HINT,
      "thousandths of an operation per second; if both are given, the finer one applies if it is above 0");
  private static final Field<GivenRate> RATE = Field.parsed(
      "rate",
      GivenRate::parse,
      FORM.pattern(),
      EXPECTED,
      "instead of both, a [whole number](#rates) per `s`, `min`, `h` or `d`, such as `60/min`");

  /** The fields of a rate. */
  static final List<Field<?>> FIELDS = List.of(OPS_PER_SEC, MILLI_OPS_PER_SEC, RATE);

  /** Reads the rate of a section; empty if it has none, or a problem. */
  static Optional<GivenRate> read(Section section) {
    Optional<Long> perSecond = ShapeReader.finer(section, OPS_PER_SEC, MILLI_OPS_PER_SEC);
    if (section.isAbsent("rate")) {
      return perSecond.map(GivenRate::ofMilliOps);
    }
    if (perSecond.isPresent()) {
      section.error(
          "rate_ambiguous",
          "rate",
          "beside opsPerSec or milliOpsPerSec (expected: one of the three)");
    }
    return section.find(RATE);
  }

  /** Whether a section says nothing of a rate. */
  static boolean isMissing(Section section) {
    return FIELDS.stream().allMatch(field -> section.isAbsent(field.name()));
  }

  private static GivenRate ofMilliOps(long milliOpsPerSec) {
    Optional<Rate> rate =
        milliOpsPerSec == 0 ? Optional.empty() : Optional.of(Rate.ofMilliOpsPerSec(milliOpsPerSec));
    return new GivenRate(rate, milliOpsPerSec + " milliOpsPerSec");
  }

  private static Optional<GivenRate> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long count = Long.parseLong(matcher.group(1));
    long seconds = secondsOf(matcher.group(2));
    if (count > MAX_OPS_PER_SEC * seconds) {
      return Optional.empty();
    }
    Optional<Rate> rate =
        count == 0 ? Optional.empty() : Optional.of(new Rate(count, seconds * SECOND_MICROS));
    return Optional.of(new GivenRate(rate, text));
  }

  private static long secondsOf(String unit) {
    return switch (unit) {
      case "s" -> 1;
      case "min" -> 60;
      case "h" -> 3600;
      default -> 86_400;
    };
  }

  boolean isZero() {
    return rate.isEmpty();
  }
}
