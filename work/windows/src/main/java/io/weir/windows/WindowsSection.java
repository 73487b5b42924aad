package io.weir.windows;

import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicySection;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Upstreams;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Reads windows of ordered ranges. */
public final class WindowsSection extends PolicySection<Windows> {
  private static final int MOST_OF_INFLIGHT = 3;
  private static final int LEAST_OF_INFLIGHT = 2;
  private static final int QUEUE_OF_WIDTH = 2;

  private static final Field<Long> WIDTH = Field.number(
          "width", 1, 1000, "ranges that may be open: not committed yet")
      .or(40L);
  private static final Field<Long> ATTEMPTS = Field.number(
          "attempts",
          1,
          100,
          "how often a range is tried before it has failed, and waits for the planner's decision")
      .or(4L);
  private static final Field<Long> LEASE = Field.duration(
          "lease",
          Duration.ofMillis(100),
          Duration.ofHours(1),
          "time after a worker's death until its range is handed out again; that counts as an attempt")
      .or(30_000L);
  private static final Field<Long> BACKOFF = Field.duration(
          "backoff",
          Duration.ZERO,
          Duration.ofMinutes(1),
          "the first wait before a range is tried again; it doubles each time, up to a minute")
      .or(1000L);
  private static final Field<Boolean> RESULTS = Field.flag(
      "results",
      "whether results (4 KiB each) are kept until the planner commits them; otherwise done ranges are committed at once,"
          + " in order");
  private static final Field<String> UPSTREAM = Field.id(
      "upstream",
      "the providers that serve the ranges: the width is compared with the number of requests that may be under way"
          + " (usual: two to three times) and may wait there (usual: one to two widths)");
  private static final Field<Map<String, Section>> WINDOWS = Field.byId(
          "windows",
          Table.of("window", WIDTH, ATTEMPTS, LEASE, BACKOFF, RESULTS, UPSTREAM),
          "[ranges](#windows) that are worked on at once and committed in order")
      .atMost(50, "too_many_windows");

  public WindowsSection() {
    super(Parent.POLICY, Windows.PART, WINDOWS);
  }

  @Override
  public Optional<Windows> read(Section root) {
    Map<String, WindowRule> windows = new LinkedHashMap<>();
    root.get(WINDOWS).forEach((name, section) -> windows.put(name, window(name, section)));
    return Optional.of(new Windows(windows));
  }

  private static WindowRule window(String name, Section section) {
    section.find(UPSTREAM);
    return new WindowRule(
        name,
        section.count(WIDTH),
        section.count(ATTEMPTS),
        section.micros(LEASE),
        section.micros(BACKOFF),
        section.get(RESULTS));
  }

  @Override
  public void check(Section root, Policy policy) {
    Map<String, Providers> upstreams = Upstreams.of(policy);
    Map<String, WindowRule> windows = Windows.of(policy);
    root.get(WINDOWS)
        .forEach((name, section) -> Optional.ofNullable(windows.get(name))
            .ifPresent(rule -> check(section, rule, upstreams)));
  }

  private static void check(Section section, WindowRule rule, Map<String, Providers> upstreams) {
    section.find(UPSTREAM).ifPresent(name -> {
      Providers upstream = upstreams.get(name);
      if (upstream == null) {
        section.error("upstream_unknown", "upstream", "no upstream '" + name + "'");
      } else {
        lint(section, rule.width(), upstream);
      }
    });
  }

  // The advice of the scheduler that windows are modelled on: two to three times as many ranges as
  // requests in flight.
  private static void lint(Section section, int width, Providers upstream) {
    int inflight = upstream.bounds().maxInflight();
    if (width < LEAST_OF_INFLIGHT * inflight || width > MOST_OF_INFLIGHT * inflight) {
      section.warning(
          "window_beside_inflight",
          "width",
          "%d ranges for %d under way (usual: %d to %d)"
              .formatted(
                  width, inflight, LEAST_OF_INFLIGHT * inflight, MOST_OF_INFLIGHT * inflight));
    }
    int queue = upstream.bounds().maxQueue();
    if (queue < width || queue > QUEUE_OF_WIDTH * width) {
      section.warning(
          "queue_beside_window",
          "width",
          "%d waiting for %d ranges (usual: %d to %d)"
              .formatted(queue, width, width, QUEUE_OF_WIDTH * width));
    }
  }
}
