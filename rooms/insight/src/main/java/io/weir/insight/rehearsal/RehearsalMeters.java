package io.weir.insight.rehearsal;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.insight.rehearsal.Outcomes.Counts;
import io.weir.insight.rehearsal.Outcomes.Name;

/** Counts rehearsed decisions as metrics. Immutable. */
record RehearsalMeters(MeterRegistry registry, String rehearsal) {
  void count(Name name, Counts counts) {
    Counter.builder("throttle.rehearsed")
        .description("Decisions that were made once more by limits that are not enforced")
        .tags(
            "rehearsal",
            rehearsal,
            "plan",
            name.plan(),
            "operation",
            name.operation(),
            "outcome",
            counts.word())
        .register(registry)
        .increment();
  }
}
