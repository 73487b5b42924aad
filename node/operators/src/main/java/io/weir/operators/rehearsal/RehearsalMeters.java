package io.weir.operators.rehearsal;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Counts rehearsed decisions as metrics. Immutable.
 *
 * @param rehearsal {@code audit} or {@code candidate}
 */
public record RehearsalMeters(MeterRegistry registry, String rehearsal) {
  /** Counts a decision of an operation of a plan. */
  public void count(String plan, String operation, String outcome) {
    Counter.builder("throttle.rehearsed")
        .description("Decisions that were made once more by limits that are not enforced")
        .tags("rehearsal", rehearsal, "plan", plan, "operation", operation, "outcome", outcome)
        .register(registry)
        .increment();
  }
}
