package io.weir.operators.replay;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts the lines of another form by their reasons, of which formats have a few. Mutable, for one thread. */
final class StrangeLines {
  private final Map<String, Group> groups = new LinkedHashMap<>();

  /**
   * The lines with one reason.
   *
   * @param first the number of the first one
   */
  record Group(String reason, long lines, long first) {
    @Override
    public String toString() {
      return "%,d with %s, first in line %d".formatted(lines, reason, first);
    }
  }

  void count(String reason, long line) {
    groups.merge(
        reason,
        new Group(reason, 1, line),
        (known, one) -> new Group(reason, known.lines() + 1, known.first()));
  }

  long lines() {
    return groups.values().stream().mapToLong(Group::lines).sum();
  }

  /** The most frequent reasons. */
  List<Group> top(int most) {
    return groups.values().stream()
        .sorted(Comparator.comparingLong(Group::lines).reversed())
        .limit(most)
        .toList();
  }
}
