package io.weir.core.policy;

import io.weir.core.slot.SlotMode;
import io.weir.core.slot.SlotRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Reads the rules of a plan for places. */
final class SlotsReader {
  private static final int MAX_QUEUE = 100_000;
  private static final Map<String, SlotMode> MODES =
      Words.of("reserve", SlotMode.RESERVE, "estimate", SlotMode.ESTIMATE, "off", SlotMode.OFF);

  private static final SlotRules USUAL = SlotRules.DEFAULT;
  private static final Field<SlotMode> SLOTS = Field.choice(
          "slots",
          MODES,
          "what denied callers get: a slot of their own, an estimate, or the time at which the next request fits")
      .or(USUAL.mode());
  private static final Field<Long> LATENESS = Field.duration(
          "lateness",
          Duration.ofMillis(1),
          Duration.ofMinutes(1),
          "how long after its slot a place is kept")
      .or(USUAL.latenessMicros() / 1000);
  private static final Field<Long> MAX_PLACES = Field.number(
          "maxQueue", 1, MAX_QUEUE, "the most places of a bucket")
      .or((long) USUAL.maxQueue());
  private static final Field<Long> HORIZON = Field.duration(
          "horizon",
          Duration.ofMillis(1),
          Duration.ofHours(1),
          "how far ahead places are given; half as far for callers without a ticket")
      .or(USUAL.horizonMicros() / 1000);

  /** The fields of a plan for places. */
  static final List<Field<?>> FIELDS = List.of(SLOTS, LATENESS, MAX_PLACES, HORIZON);

  private SlotsReader() {}

  static SlotRules read(Section plan) {
    return new SlotRules(
        plan.get(SLOTS), plan.micros(LATENESS), plan.count(MAX_PLACES), plan.micros(HORIZON));
  }
}
