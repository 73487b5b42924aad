package io.weir.testkit.judge;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The level of a bucket by its definition: the sum of charges and drains in their order, never below 0. If the units of
 * a charge are changed later, the level is that of a history in which they were the final ones from the beginning.
 * Mutable; owned by one judge.
 */
final class Replay {
  private static final String PLAIN = "";

  /** Units that are charged, or below 0 drained; only those with an id can be changed. */
  private record Event(String id, BigInteger units) {}

  private final List<Event> events = new ArrayList<>();
  private final Map<String, BigInteger> finals = new HashMap<>();
  private BigInteger level = BigInteger.ZERO;

  BigInteger level() {
    return level;
  }

  /** How many charges can still be changed. */
  int changeable() {
    return finals.size();
  }

  /** The charges that can still be changed. */
  Set<String> changeableIds() {
    return Set.copyOf(finals.keySet());
  }

  /** Whether this charge can. */
  boolean isChangeable(String id) {
    return finals.containsKey(id);
  }

  void drain(BigInteger units) {
    add(PLAIN, units.negate());
    if (level.signum() == 0) {
      // Charges before an empty bucket have no effect on it, whatever its units.
      fix();
    }
  }

  void charge(BigInteger units) {
    add(PLAIN, units);
  }

  /** Charges units that can be changed later. An earlier charge with the same id keeps what it is. */
  void charge(String id, BigInteger units) {
    if (finals.isEmpty()) {
      events.clear();
      events.add(new Event(PLAIN, level));
    }
    keepEarlier(id);
    finals.put(id, units);
    add(id, units);
  }

  private void keepEarlier(String id) {
    if (finals.containsKey(id)) {
      String earlier = id + " before " + events.size();
      finals.put(earlier, finals.remove(id));
      events.replaceAll(event -> event.id().equals(id) ? new Event(earlier, event.units()) : event);
    }
  }

  /** Changes the units of a charge, from its beginning; no effect if they are fixed. */
  void change(String id, BigInteger units) {
    if (finals.replace(id, units) != null) {
      level = BigInteger.ZERO;
      events.forEach(event -> level = next(finals.getOrDefault(event.id(), event.units())));
    }
  }

  /** Sets the level; no earlier charge can be changed any more. */
  void reset(BigInteger units) {
    level = units;
    fix();
  }

  private void fix() {
    events.clear();
    finals.clear();
  }

  private void add(String id, BigInteger units) {
    level = next(units);
    if (!finals.isEmpty()) {
      events.add(new Event(id, units));
    }
  }

  private BigInteger next(BigInteger units) {
    return level.add(units).max(BigInteger.ZERO);
  }
}
