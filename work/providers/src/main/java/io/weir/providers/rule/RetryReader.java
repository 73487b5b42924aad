package io.weir.providers.rule;

import io.weir.core.policy.RepeatRule;
import io.weir.core.policy.RetryRule;
import io.weir.core.policy.RetryRule.Backoff;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Section.Item;
import io.weir.core.policy.schema.Table;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads how requests to an upstream are retried, and which are safe to repeat. */
final class RetryReader {
  private static final Duration MILLI = Duration.ofMillis(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final RetryRule USUAL = RetryRule.DEFAULT;

  /** A hint for fields that count attempts. */
  static final String ONCE = "; 1 sends a request once";

  private static final Field<List<Item>> SAFE_METHODS = Field.texts(
          "safeJsonRpcMethods",
          Pattern.compile("[\\x21-\\x7e]{1,64}"),
          "a method such as eth_call",
          "JSON-RPC methods, such as `[eth_call, eth_blockNumber]`, whose calls, and batches of them, may be sent again; in"
              + " bodies up to 32 KiB")
      .atMost(200, "too_many_methods");
  private static final Field<Boolean> SAFE_TO_REPEAT = Field.flag(
      "safeToRepeat",
      "whether all requests may be sent again though a provider may have acted upon them");

  /** Which requests are safe to repeat. */
  static final List<Field<?>> REPEAT = List.of(SAFE_TO_REPEAT, SAFE_METHODS);

  private static final Field<RetryRule> PRESET = Field.choice(
      "preset",
      RetryRule.PRESETS,
      "defaults for the numbers that are not given: `smg` 6 attempts (five retries), 50ms, 1.5, 30s, no budget; `storj` 7"
          + " attempts, 100ms, 2, 3s. The table of SMG for batches is `preset: smg, attempts: 11, max: 60s` (ten"
          + " retries)");
  private static final Field<Long> ATTEMPTS = Field.hinted(
          "attempts",
          1,
          RetryRule.MAX_ATTEMPTS,
          ONCE,
          "how often a request is sent at most; 1 for once. An attempt that tries a provider whose breaker was open, and"
              + " fails, does not count")
      .or((long) USUAL.attempts());
  private static final Field<Long> INITIAL = Field.duration(
          "initial", MILLI, MINUTE, "the first wait")
      .or(USUAL.backoff().initialMillis());
  private static final Field<Long> FACTOR = Field.thousandths(
          "factor", 1000, 10_000, "the factor of each next wait")
      .or(USUAL.backoff().factor());
  private static final Field<Long> MAX = Field.duration("max", MILLI, MINUTE, "the longest wait")
      .or(USUAL.backoff().maxMillis());
  private static final Field<Long> JITTER = Field.percent(
          "jitter", 0, 100, "the random part of a wait, more or less")
      .or((long) USUAL.backoff().jitterPercent());
  private static final Field<Boolean> NO_BUDGET = Field.choice("budget", Map.of("off", true), "");
  private static final Field<Long> BUDGET_PERCENT = Field.percent("budget", 0, 100, "");
  private static final Field<Object> BUDGET = Field.oneOf(
          "budget",
          "the share of the requests that a node may send again, and besides up to ten per second (twenty at once), so that"
              + " few requests get all their attempts; 0 for none, `off` for no bound",
          BUDGET_PERCENT,
          NO_BUDGET)
      .or(USUAL.budgetPercent().orElseThrow());
  private static final Field<Long> MAX_BODY_BYTES = Field.number(
          "maxBodyBytes",
          0,
          1 << 20,
          "requests with longer bodies, or of unknown length, are sent once")
      .or(USUAL.maxBodyBytes());
  private static final Field<Long> ATTEMPT_TIMEOUT = Field.duration(
      "attemptTimeout",
      Duration.ofMillis(10),
      Duration.ofSeconds(110),
      "time without an answer, below `timeoutMs`, after which a request goes to another provider, if it may be sent again;"
          + " the last attempt has `timeoutMs`");

  /** The retries of an upstream. */
  static final Field<Section> RETRY = Field.section(
      "retry",
      Table.of(
          "retry",
          ATTEMPTS,
          INITIAL,
          FACTOR,
          MAX,
          JITTER,
          BUDGET,
          ATTEMPT_TIMEOUT,
          MAX_BODY_BYTES,
          PRESET),
      "[retries](#retries)");

  private RetryReader() {}

  static RepeatRule repeat(Section section) {
    Set<String> methods = Item.texts(section.get(SAFE_METHODS));
    boolean isSafe = section.get(SAFE_TO_REPEAT);
    if (isSafe && !methods.isEmpty()) {
      section.warning(
          "field_ignored",
          "safeJsonRpcMethods",
          "has no effect: safeToRepeat says that all requests are safe");
    }
    return new RepeatRule(isSafe, methods);
  }

  static RetryRule retry(Section upstream, int timeoutMillis) {
    return upstream.find(RETRY).map(section -> read(section, timeoutMillis)).orElse(USUAL);
  }

  private static RetryRule read(Section section, int timeoutMillis) {
    RetryRule usual = section.find(PRESET).orElse(USUAL);
    RetryRule read = new RetryRule(
        section.find(ATTEMPTS).orElse((long) usual.attempts()).intValue(),
        new Backoff(
            section.find(INITIAL).orElse(usual.backoff().initialMillis()),
            section.find(FACTOR).orElse(usual.backoff().factor()),
            section.find(MAX).orElse(usual.backoff().maxMillis()),
            section.find(JITTER).orElse((long) usual.backoff().jitterPercent()).intValue()),
        budget(section, usual.budgetPercent()),
        section.find(MAX_BODY_BYTES).orElse(usual.maxBodyBytes()),
        section.find(ATTEMPT_TIMEOUT).orElse(usual.attemptMillis()));
    if (read.backoff().maxMillis() < read.backoff().initialMillis()) {
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
    return section
        .find(BUDGET_PERCENT)
        .map(percent -> OptionalInt.of(percent.intValue()))
        .orElse(usual);
  }
}
