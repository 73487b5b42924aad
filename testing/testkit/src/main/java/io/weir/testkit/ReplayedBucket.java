package io.weir.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The level of a bucket by definition: each charge counts with its final cost, from its own instant on. The whole
 * history is played again for each answer. Mutable; owned by one test.
 */
final class ReplayedBucket {
  private final long unitsPerMicro;
  private final List<Event> events = new ArrayList<>();
  private final Map<String, Long> units = new HashMap<>();
  private long at;

  ReplayedBucket(long unitsPerMicro, long nowMicros) {
    this.unitsPerMicro = unitsPerMicro;
    this.at = nowMicros;
  }

  private sealed interface Event {
    record Drained(long units) implements Event {}

    record Charged(String id) implements Event {}
  }

  /** Charges units now; while the clock is behind, nothing drains. */
  void charge(String id, long cost, long nowMicros) {
    moveTo(nowMicros);
    events.add(new Event.Charged(id));
    units.put(id, cost);
  }

  /**
   * Sets the final cost of a charge: a lower cost counts from the instant of the charge on, a higher one from now on. A
   * bucket that is empty by now forgets the charge, even if the clock is set back later.
   */
  void settle(String id, long cost, long nowMicros) {
    long more = cost - units.getOrDefault(id, 0L);
    long later = Math.max(at, nowMicros);
    if (more == 0 || (more < 0 && level(later) == 0)) {
      return;
    }
    moveTo(later);
    if (more > 0) {
      charge(id + "+", more, at);
    } else {
      units.put(id, cost);
    }
  }

  private void moveTo(long micros) {
    events.add(new Event.Drained(drained(micros)));
    at = micros;
  }

  long level(long nowMicros) {
    long level = 0;
    for (Event event : events) {
      level = event instanceof Event.Drained drained
          ? Math.max(0, level - drained.units())
          : level + units.getOrDefault(((Event.Charged) event).id(), 0L);
    }
    return Math.max(0, level - drained(nowMicros));
  }

  private long drained(long nowMicros) {
    return Math.max(0, nowMicros - at) * unitsPerMicro;
  }
}
