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

  private record CallerInGroup(String caller, String group) {}

  private record Mark(long since, long seen) {}

  private final Map<CallerInGroup, Mark> marks = new HashMap<>();
  /** The marks that count in this call. */
  private final Map<CallerInGroup, Long> counted = new HashMap<>();

  void beginCall(String caller, Set<String> asks, long now) {
    marks.values().removeIf(mark -> mark.seen < now - KEPT);
    counted.clear();
    marks.forEach((marked, mark) -> {
      if (mark.seen > now - ASKS_AGAIN) {
        counted.put(marked, mark.since);
      }
    });
    // A caller asks for all groups in which it has a waiting request.
    Set.copyOf(counted.keySet()).stream()
        .filter(marked -> marked.caller.equals(caller) && !asks.contains(marked.group))
        .forEach(this::remove);
  }

  void shift(long back) {
    marks.replaceAll((marked, mark) -> new Mark(mark.since - back, mark.seen - back));
  }

  /** How many other callers were answered so earlier than this one, by group. */
  Map<String, Integer> before(String caller, String group, long now) {
    CallerInGroup own = new CallerInGroup(caller, group);
    long since = counted.getOrDefault(own, now);
    Map<String, Integer> ahead = new HashMap<>();
    counted.forEach((marked, other) -> {
      if (other < since && !marked.equals(own)) {
        ahead.merge(marked.group, 1, Integer::sum);
      }
    });
    return ahead;
  }

  void answered(String caller, String group, boolean isFull, long now) {
    CallerInGroup marked = new CallerInGroup(caller, group);
    if (isFull) {
      counted.putIfAbsent(marked, now);
      marks.put(marked, new Mark(counted.get(marked), now));
    } else {
      remove(marked);
    }
  }

  private void remove(CallerInGroup marked) {
    counted.remove(marked);
    marks.remove(marked);
  }
}
