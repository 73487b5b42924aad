package io.weir.operators.status;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Events that a node counts in its metrics, and that may need an operator if there are many. */
enum Count {
  DECISIONS("throttle.decisions", ".*"),
  DENIED("throttle.decisions", "denied|never_allowed"),
  UNDECIDED("throttle.decisions", "unavailable"),
  DEGRADED("throttle.degraded.decisions", ".*"),
  LOST_HOLDS("throttle.holds.ended", "lost"),
  REWOUND_RECORDS("throttle.keys.rewound", ".*");

  private final String meter;
  private final String outcomes;

  /** @param outcomes values of the tag "outcome", as a regular expression */
  Count(String meter, String outcomes) {
    this.meter = meter;
    this.outcomes = outcomes;
  }

  /** The number of events since the node started. */
  long in(MeterRegistry meters) {
    double sum = meters.find(meter).counters().stream()
        .filter(counter -> outcome(counter).matches(outcomes))
        .mapToDouble(Counter::count)
        .sum();
    return Math.round(sum);
  }

  private static String outcome(Counter counter) {
    return String.valueOf(counter.getId().getTag("outcome"));
  }
}
