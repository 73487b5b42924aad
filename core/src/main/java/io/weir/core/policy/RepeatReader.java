package io.weir.core.policy;

import io.weir.core.upstream.HealthRule;
import io.weir.core.upstream.RepeatRule;
import io.weir.core.upstream.RetryRule;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the retry, repeat and health-check settings of upstreams. */
final class RepeatReader {
  private static final int MAX_METHODS = 200;
  private static final int MAX_STATUSES = 20;
  private static final Pattern METHOD = Pattern.compile("[\\x21-\\x7e]{1,64}");
  private static final Predicate<String> PATH =
      Pattern.compile("/[\\x21\\x22\\x24-\\x7e]{0,255}").asMatchPredicate();
  private static final Predicate<String> STATUS =
      Pattern.compile("[1-5][0-9]{2}").asMatchPredicate();

  private RepeatReader() {}

  static RepeatRule repeat(Section section) {
    Set<String> methods = section
        .texts("safeJsonRpcMethods", METHOD.asMatchPredicate(), "a method such as eth_call")
        .stream()
        .map(Section.Item::text)
        .collect(Collectors.toSet());
    if (methods.size() > MAX_METHODS) {
      section.error(
          "too_many_methods",
          "safeJsonRpcMethods",
          "%d (expected: at most %d)".formatted(methods.size(), MAX_METHODS));
    }
    boolean isSafe = section.flag("safeToRepeat");
    if (isSafe && !methods.isEmpty()) {
      section.warning(
          "field_ignored",
          "safeJsonRpcMethods",
          "has no effect: safeToRepeat says that all requests are safe");
    }
    return new RepeatRule(isSafe, methods);
  }

  static RetryRule retry(Section section, int timeoutMillis) {
    RetryRule usual = section.choice("preset", RetryRule.PRESETS).orElse(RetryRule.DEFAULT);
    RetryRule read = new RetryRule(
        (int) section
            .wholeNumber("attempts", 1, UpstreamsReader.MAX_ATTEMPTS)
            .orElse(usual.attempts()),
        UpstreamsReader.millis(section, "initial", 1, 60_000, usual.initialMillis()),
        section.wholeNumber("factor", 1000, 10_000).orElse(usual.factor()),
        UpstreamsReader.millis(section, "max", 1, 60_000, usual.maxMillis()),
        (int) section.wholeNumber("jitter", 0, 100).orElse(usual.jitterPercent()),
        budget(section, usual.budgetPercent()),
        section.wholeNumber("maxBodyBytes", 0, 1 << 20).orElse(usual.maxBodyBytes()),
        UpstreamsReader.millis(section, "attemptTimeout", 10, 110_000, usual.attemptMillis()));
    section.refuseUnknown();
    if (read.maxMillis() < read.initialMillis()) {
      section.error("retry_bounds", "max", "shorter than the first wait");
    }
    if (read.attemptMillis() >= timeoutMillis) {
      section.error(
          "retry_bounds",
          "attemptTimeout",
          "%dms (expected: below timeoutMs, %dms)".formatted(read.attemptMillis(), timeoutMillis));
    }
    return read;
  }

  private static OptionalInt budget(Section section, OptionalInt usual) {
    if (section.isOff("budget")) {
      return OptionalInt.empty();
    }
    return section.wholeNumber("budget", 0, 100).stream()
        .mapToInt(percent -> (int) percent)
        .boxed()
        .findFirst()
        .map(OptionalInt::of)
        .orElse(usual);
  }

  static HealthRule health(Section section) {
    Set<Integer> statuses = section.texts("statuses", STATUS, "a status such as 200").stream()
        .map(status -> Integer.valueOf(status.text()))
        .collect(Collectors.toSet());
    if (statuses.size() > MAX_STATUSES) {
      section.error(
          "too_many_statuses",
          "statuses",
          "%d (expected: at most %d)".formatted(statuses.size(), MAX_STATUSES));
    }
    HealthRule read = new HealthRule(
        section
            .requiredText("path", PATH, "a path such as /health, of at most 256 characters")
            .orElse("/"),
        UpstreamsReader.millis(section, "interval", 500, 600_000, 5000),
        UpstreamsReader.millis(section, "timeout", 10, 60_000, 2000),
        (int) section.wholeNumber("healthy", 1, 100).orElse(2),
        (int) section.wholeNumber("unhealthy", 1, 100).orElse(3),
        statuses);
    section.refuseUnknown();
    return read;
  }
}
