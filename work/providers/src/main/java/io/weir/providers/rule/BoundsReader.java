package io.weir.providers.rule;

import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.time.Duration;
import java.util.List;

/** Reads the bounds on the load of an upstream, and when a breaker opens. */
final class BoundsReader {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int MOST_INFLIGHT = 100_000;

  private static final Field<Long> TARGET = Field.duration(
          "target",
          Duration.ofMillis(1),
          MINUTE,
          "time of an answer on average, from the end of the request to the head of the answer")
      .or(200L);
  private static final Field<Long> MIN =
      Field.number("min", 1, MOST_INFLIGHT, "the least requests under way").or(5L);
  private static final Field<Long> MAX =
      Field.number("max", 1, MOST_INFLIGHT, "the most requests under way").or(50L);
  private static final Field<Long> INITIAL = Field.number(
          "initial", 1, MOST_INFLIGHT, "requests under way before the first measurement")
      .or(10L);
  private static final Field<Section> ADAPTIVE = Field.section(
      "adaptive",
      Table.of("adaptive", TARGET, MIN, MAX, INITIAL),
      "reduces the requests under way while answers take long. One more after each answer while the average (of each new"
          + " one a fifth) is within the target; a twentieth fewer, at least one, above it; three twentieths fewer above"
          + " three times the target, and after each error");

  static final Field<Long> MAX_INFLIGHT = Field.number(
          "maxInflight", 1, MOST_INFLIGHT, "requests under way, of all nodes")
      .or(100L);
  static final Field<Long> MAX_QUEUE = Field.number(
          "maxQueue",
          0,
          10_000,
          "requests that wait on a node; a key has half of the places, a tenant three quarters; a key that waits alone may"
              + " use all, and its newest requests beyond that part get 429 `upstream_queue_full` when others need the"
              + " places")
      .or(200L);
  private static final Field<Long> QUEUE_TIMEOUT = Field.duration(
          "queueTimeout", Duration.ofMillis(1), MINUTE, "the longest wait before each attempt")
      .or(10_000L);
  private static final Field<Long> LEASE = Field.duration(
          "lease",
          Duration.ofSeconds(1),
          Duration.ofMinutes(5),
          "time after a node's death until its requests under way no longer count")
      .or(15_000L);

  /** The bounds of an upstream. */
  static final List<Field<?>> BOUNDS =
      List.of(MAX_INFLIGHT, ADAPTIVE, MAX_QUEUE, QUEUE_TIMEOUT, LEASE);

  private static final Field<Long> FAILURES = Field.percent(
          "failures", 1, 100, "the share of failed requests that opens it")
      .or((long) BreakerRule.DEFAULT.failurePercent());
  private static final Field<Long> CALLS = Field.number(
          "calls",
          1,
          10_000,
          "the least requests of a node for a judgement; or as many as may be under way to the provider")
      .or((long) BreakerRule.DEFAULT.minCalls());
  private static final Field<Long> WINDOW = Field.duration(
          "window",
          Duration.ofSeconds(1),
          Duration.ofMinutes(10),
          "the time in which a node sent them")
      .or(BreakerRule.DEFAULT.windowMillis());
  private static final Field<Long> OPEN = Field.duration(
          "open",
          Duration.ofMillis(100),
          Duration.ofMinutes(10),
          "how long all nodes leave the provider alone; then one request of the whole cluster tries it: for 10 s only one"
              + " that is sent again if the provider fails it, while another provider serves the other requests")
      .or(BreakerRule.DEFAULT.openMillis());

  /** When a provider's breaker opens. */
  static final Field<Section> BREAKER = Field.section(
      "breaker",
      Table.of("breaker", FAILURES, CALLS, WINDOW, OPEN),
      "leaves providers alone that fail");

  private BoundsReader() {}

  static Bounds bounds(Section upstream) {
    return new Bounds(
        upstream.count(MAX_INFLIGHT),
        upstream.find(ADAPTIVE).map(BoundsReader::adaptive),
        upstream.count(MAX_QUEUE),
        upstream.get(QUEUE_TIMEOUT),
        upstream.micros(LEASE));
  }

  private static AdaptiveRule adaptive(Section section) {
    AdaptiveRule read = new AdaptiveRule(
        section.micros(TARGET), section.count(MIN), section.count(MAX), section.count(INITIAL));
    long max = section.find(MAX).orElse((long) read.max());
    if (max < read.max()) {
      section.error(
          "adaptive_bounds",
          "max",
          "%d, below min (expected: at least %d)".formatted(max, read.min()));
    }
    return read;
  }

  static BreakerRule breaker(Section upstream) {
    return upstream
        .find(BREAKER)
        .map(section -> new BreakerRule(
            section.count(FAILURES), section.count(CALLS), section.get(WINDOW), section.get(OPEN)))
        .orElse(BreakerRule.DEFAULT);
  }
}
