package io.weir.node.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.weir.window.WindowView;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;

/** How windows stand, as this node heard last, and what it was asked of them. Safe for use by many threads. */
public final class WindowMeters {
  private final MeterRegistry registry;
  private final Map<String, AtomicReference<WindowView>> views = new ConcurrentHashMap<>();

  WindowMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * A question was answered.
   *
   * @param asked a word of the interface
   * @param outcome a word of the code
   */
  public void told(String window, String asked, String outcome, WindowView view) {
    views.computeIfAbsent(window, this::gauges).set(view);
    registry
        .counter(
            "throttle.window.asked", Tags.of("window", window, "asked", asked, "outcome", outcome))
        .increment();
  }

  private AtomicReference<WindowView> gauges(String window) {
    AtomicReference<WindowView> last = new AtomicReference<>(new WindowView(0, 0, 0, 0, 0, 0));
    gauge(window, "throttle.window.open", "Ranges that are not committed", last, WindowView::open);
    gauge(
        window,
        "throttle.window.failed",
        "Ranges that wait for the planner's decision",
        last,
        WindowView::failed);
    gauge(
        window,
        "throttle.window.watermark",
        "The first number that is not committed",
        last,
        WindowView::watermark);
    return last;
  }

  private void gauge(
      String window,
      String name,
      String description,
      AtomicReference<WindowView> last,
      ToDoubleFunction<WindowView> number) {
    Gauge.builder(name, last, known -> number.applyAsDouble(known.get()))
        .description(description)
        .tag("window", window)
        .register(registry);
  }
}
