package io.weir.core.policy;

import io.weir.core.bucket.Names;
import io.weir.core.upstream.Providers;
import io.weir.core.window.WindowRule;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Reads windows of ordered ranges. */
final class WindowsReader {
  private static final int MAX_WINDOWS = 50;
  private static final int MAX_WIDTH = 1000;
  private static final int USUAL_WIDTH = 40;
  private static final int MOST_OF_INFLIGHT = 3;
  private static final int LEAST_OF_INFLIGHT = 2;
  private static final int QUEUE_OF_WIDTH = 2;
  private static final long MICROS_PER_MILLI = 1000;

  private final Map<String, Providers> upstreams;

  /** @param upstreams the upstreams that windows may name */
  WindowsReader(Map<String, Providers> upstreams) {
    this.upstreams = upstreams;
  }

  Map<String, WindowRule> read(Section root) {
    Map<String, Section> named =
        root.namedSections("windows", text -> text.matches(Names.ID_PATTERN), Names.ID_PATTERN);
    if (named.size() > MAX_WINDOWS) {
      root.error(
          "too_many_windows",
          "windows",
          "%d (expected: at most %d)".formatted(named.size(), MAX_WINDOWS));
    }
    Map<String, WindowRule> windows = new LinkedHashMap<>();
    named.forEach((name, section) -> windows.put(name, window(name, section)));
    return windows;
  }

  private WindowRule window(String name, Section section) {
    WindowRule read = new WindowRule(
        name,
        (int) section.wholeNumber("width", 1, MAX_WIDTH).orElse(USUAL_WIDTH),
        (int) section.wholeNumber("attempts", 1, 100).orElse(4),
        micros(section, "lease", 100, 3_600_000, 30_000),
        micros(section, "backoff", 0, 60_000, 1000),
        section.flag("results"));
    Optional<String> upstream =
        section.text("upstream", text -> text.matches(Names.ID_PATTERN), Names.ID_PATTERN);
    section.refuseUnknown();
    upstream
        .filter(known -> !upstreams.containsKey(known))
        .ifPresent(unknown ->
            section.error("upstream_unknown", "upstream", "no upstream '" + unknown + "'"));
    upstream.map(upstreams::get).ifPresent(known -> lint(section, read.width(), known));
    return read;
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

  private static long micros(Section section, String field, long min, long max, long usual) {
    return MICROS_PER_MILLI
        * section
            .duration(field, Duration.ofMillis(min), Duration.ofMillis(max))
            .map(Duration::toMillis)
            .orElse(usual);
  }
}
