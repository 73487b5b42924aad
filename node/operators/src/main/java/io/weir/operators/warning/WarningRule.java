package io.weir.operators.warning;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Subject;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Which limits a receiver is warned of, and when. Immutable.
 *
 * @param id of a rule that tells the same receiver at the same times; one that is changed in this is another rule
 * @param to the name of the receiver
 * @param at percentages of a limit, in ascending order
 * @param again the least time until the same warning is told again, unless a new period of a quota begins
 */
record WarningRule(
    String name, String id, String to, List<Integer> at, Selection selection, Duration again) {
  /** By so many points a limit must have emptied below a percentage before that is told once more. */
  static final int HYSTERESIS = 10;

  WarningRule {
    at = at.stream().sorted().distinct().toList();
  }

  /** The keys that it watches, and their limits. Empty sets mean any. */
  record Selection(Set<String> plans, Set<String> tenants, Set<String> keys, Set<String> limits) {
    Selection {
      plans = Set.copyOf(plans);
      tenants = Set.copyOf(tenants);
      keys = Set.copyOf(keys);
      limits = Set.copyOf(limits);
    }
  }

  boolean isOf(Subject subject) {
    return has(selection.plans(), subject.plan().name())
        && has(selection.tenants(), subject.tenant())
        && has(selection.keys(), subject.id());
  }

  boolean isOf(String limit) {
    return has(selection.limits(), limit);
  }

  private static boolean has(Set<String> names, String name) {
    return names.isEmpty() || names.contains(name);
  }

  /** The highest percentage that is reached; 0 if none is. */
  int reached(int percent) {
    int reached = 0;
    for (int each : at) {
      reached = each <= percent ? each : reached;
    }
    return reached;
  }

  /** The rule as operators read it; empty lists mean any. */
  JsonObject toJson() {
    return new JsonObject()
        .put("name", name)
        .put("to", to)
        .put("at", new JsonArray(at))
        .put("plans", sorted(selection.plans()))
        .put("tenants", sorted(selection.tenants()))
        .put("keys", sorted(selection.keys()))
        .put("limits", sorted(selection.limits()))
        .put("againSeconds", again.toSeconds());
  }

  private static JsonArray sorted(Set<String> names) {
    return new JsonArray(names.stream().sorted().toList());
  }
}
