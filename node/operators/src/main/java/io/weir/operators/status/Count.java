package io.weir.operators.status;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Set;

/** Events that a node counts in its metrics, and that may need an operator if there are many. */
enum Count {
  DECISIONS("throttle.decisions", Set.of()),
  DENIED("throttle.decisions", Set.of("denied", "never_allowed")),
  UNDECIDED("throttle.decisions", Set.of("unavailable")),
  DEGRADED("throttle.degraded.decisions", Set.of()),
  LOST_HOLDS("throttle.holds.ended", Set.of("lost")),
  REWOUND_RECORDS("throttle.keys.rewound", Set.of());

  private final String meter;
  private final Set<String> outcomes;

  /** @param outcomes values of the tag {@code outcome}; empty for all */
  Count(String meter, Set<String> outcomes) {
    this.meter = meter;
    this.outcomes = outcomes;
  }

  /** The number of events since the node started. */
  long in(MeterRegistry meters) {
    double sum = meters.find(meter).counters().stream()
        .filter(counter -> outcomes.isEmpty() || outcomes.contains(outcome(counter)))
        .mapToDouble(Counter::count)
        .sum();
    return Math.round(sum);
  }

  private static String outcome(Counter counter) {
    return String.valueOf(counter.getId().getTag("outcome"));
  }
}
