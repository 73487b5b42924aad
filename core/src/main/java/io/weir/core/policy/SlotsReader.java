package io.weir.core.policy;

import io.weir.core.slot.SlotMode;
import io.weir.core.slot.SlotRules;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads the rules of a plan for places. */
final class SlotsReader {
  private static final int MAX_QUEUE = 100_000;
  private static final Map<String, SlotMode> MODES = modes();

  private SlotsReader() {}

  static SlotRules read(Section plan) {
    SlotRules defaults = SlotRules.DEFAULT;
    return new SlotRules(
        plan.choice("slots", MODES).orElse(defaults.mode()),
        plan.duration("lateness", Duration.ofMillis(1), Duration.ofMinutes(1))
            .map(SlotsReader::micros)
            .orElse(defaults.latenessMicros()),
        (int) plan.wholeNumber("maxQueue", 1, MAX_QUEUE).orElse(defaults.maxQueue()),
        plan.duration("horizon", Duration.ofMillis(1), Duration.ofHours(1))
            .map(SlotsReader::micros)
            .orElse(defaults.horizonMicros()));
  }

  static long micros(Duration duration) {
    return duration.toMillis() * 1000;
  }

  private static Map<String, SlotMode> modes() {
    Map<String, SlotMode> modes = new LinkedHashMap<>();
    modes.put("reserve", SlotMode.RESERVE);
    modes.put("estimate", SlotMode.ESTIMATE);
    modes.put("off", SlotMode.OFF);
    return modes;
  }
}
