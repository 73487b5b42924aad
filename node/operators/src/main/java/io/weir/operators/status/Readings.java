package io.weir.operators.status;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The metrics of a node, and how they changed in the last minutes. Mutable; for one thread at a time. */
final class Readings {
  private static final String LATENCY = "throttle.store.latency";

  private final MeterRegistry meters;
  private final Map<Count, Growth> growths = new EnumMap<>(Count.class);
  private final Latency latency = new Latency();
  private final Refusals refusals = new Refusals();
  private long nowMillis;

  Readings(MeterRegistry meters, long nowMillis) {
    this.meters = meters;
    this.nowMillis = nowMillis;
    for (Count count : Count.values()) {
      growths.put(count, new Growth(count.in(meters), nowMillis));
    }
  }

  /** Takes the metrics as they are now; called every two seconds. */
  void see(long nowMillis) {
    this.nowMillis = nowMillis;
    growths.forEach((count, growth) -> growth.see(count.in(meters), nowMillis));
    refusals.see(meters, nowMillis);
    Timer timer = meters.find(LATENCY).timer();
    if (timer != null) {
      latency.see(timer, nowMillis);
    }
  }

  long lastMinute(Count count) {
    return growth(count).lastMinute(nowMillis);
  }

  long last(int minutes, Count count) {
    return growth(count).last(minutes, nowMillis);
  }

  /** The median minute of the last hour; empty for a node that has just started. */
  OptionalLong usual(Count count) {
    return growth(count).usual(nowMillis);
  }

  private Growth growth(Count count) {
    return Objects.requireNonNull(growths.get(count));
  }

  /** See {@link Latency}. */
  long storeCalls() {
    return latency.calls();
  }

  /** See {@link Latency}. */
  OptionalDouble storeP99Millis() {
    return latency.p99Millis();
  }

  /** See {@link Refusals}. */
  Map<String, Long> refusingProviders() {
    return refusals.lastMinute(nowMillis);
  }

  /** A gauge; 0 if there is none. */
  double gauge(String name) {
    Gauge gauge = meters.find(name).gauge();
    return gauge == null ? 0 : gauge.value();
  }

  /** The gauges of a name that are above 0, by the values of these tags, joined by slashes. */
  Map<String, Double> gaugesAboveZero(String name, String... tags) {
    Map<String, Double> above = new TreeMap<>();
    for (Gauge gauge : meters.find(name).gauges()) {
      String of = Arrays.stream(tags)
          .map(tag -> gauge.getId().getTag(tag))
          .collect(Collectors.joining("/"));
      if (gauge.value() > 0) { // false for a value that is not known
        above.put(of, gauge.value());
      }
    }
    return above;
  }
}
