package io.weir.windows;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The metrics of windows: their last known state, and the requests to this node. Safe for use by many threads. */
public final class WindowMeters {
  private final MeterRegistry registry;
  private final Map<String, Shown> windows = new ConcurrentHashMap<>();

  private record Shown(AtomicReference<@Nullable WindowView> view, List<Gauge> gauges) {}

  public WindowMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Counts an answered request.
   *
   * @param asked a word of the interface
   * @param outcome a word of the code
   */
  public void count(String window, String asked, String outcome, WindowView view) {
    stands(window, view);
    registry
        .counter(
            "throttle.window.asked", Tags.of("window", window, "asked", asked, "outcome", outcome))
        .increment();
  }

  /** Sets the state of a window. */
  public void stands(String window, WindowView view) {
    windows.computeIfAbsent(window, this::gauges).view().set(view);
  }

  /** The state of a window is unknown. */
  public void unknown(String window) {
    windows.computeIfAbsent(window, this::gauges).view().set(null);
  }

  /** Removes windows that are not in the policy any more. */
  public void keep(Set<String> names) {
    windows.entrySet().removeIf(known -> {
      boolean isGone = !names.contains(known.getKey());
      if (isGone) {
        known.getValue().gauges().forEach(registry::remove);
      }
      return isGone;
    });
  }

  private Shown gauges(String window) {
    AtomicReference<@Nullable WindowView> last = new AtomicReference<>();
    return new Shown(
        last,
        List.of(
            gauge(window, "open", "Ranges that are not committed", last, WindowView::open),
            gauge(
                window,
                "failed",
                "Ranges that wait for the planner's decision",
                last,
                WindowView::failed),
            gauge(
                window,
                "watermark",
                "The first number that is not committed",
                last,
                WindowView::watermark)));
  }

  private Gauge gauge(
      String window,
      String what,
      String description,
      AtomicReference<@Nullable WindowView> last,
      ToDoubleFunction<WindowView> number) {
    return Gauge.builder("throttle.window." + what, last, known -> shown(last, number))
        .description(description)
        .tag("window", window)
        .register(registry);
  }

  private static double shown(
      AtomicReference<@Nullable WindowView> last, ToDoubleFunction<WindowView> number) {
    WindowView view = last.get();
    return view == null ? Double.NaN : number.applyAsDouble(view);
  }
}
