package io.weir.providers.store;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The callers that were answered without room, and since when: the earliest is served first. A caller that stops asking
 * is ignored after 100 ms and forgotten after 1 s. Mutable; owned by its {@link ModelUpstream}.
 */
final class ModelMarks {
  private static final long ASKS_AGAIN = 100_000;
  private static final long KEPT = 1_000_000;

  private record Who(String caller, String group) {}

  private record Mark(long since, long seen) {}

  private final Map<Who, Mark> marks = new HashMap<>();
  /** The marks that count in this call. */
  private final Map<Who, Long> counted = new HashMap<>();

  void beginCall(String caller, Set<String> asks, long now) {
    marks.values().removeIf(mark -> mark.seen < now - KEPT);
    counted.clear();
    marks.forEach((who, mark) -> {
      if (mark.seen > now - ASKS_AGAIN) {
        counted.put(who, mark.since);
      }
    });
    // A caller asks for all groups in which it has a waiting request.
    Set.copyOf(counted.keySet()).stream()
        .filter(who -> who.caller.equals(caller) && !asks.contains(who.group))
        .forEach(this::remove);
  }

  void shift(long back) {
    marks.replaceAll((who, mark) -> new Mark(mark.since - back, mark.seen - back));
  }

  /** How many other callers were answered so earlier than this one, by group. */
  Map<String, Integer> before(String caller, String group, long now) {
    Who own = new Who(caller, group);
    long since = counted.getOrDefault(own, now);
    Map<String, Integer> ahead = new HashMap<>();
    counted.forEach((who, other) -> {
      if (other < since && !who.equals(own)) {
        ahead.merge(who.group, 1, Integer::sum);
      }
    });
    return ahead;
  }

  void answered(String caller, String group, boolean isFull, long now) {
    Who who = new Who(caller, group);
    if (isFull) {
      counted.putIfAbsent(who, now);
      marks.put(who, new Mark(counted.get(who), now));
    } else {
      remove(who);
    }
  }

  private void remove(Who who) {
    counted.remove(who);
    marks.remove(who);
  }
}
