package io.weir.operators.status;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import io.weir.core.policy.FailureMode;
import io.weir.core.policy.Plan;
import io.weir.state.policy.ClusterPolicy;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The treatment of requests while Redis is away, in words. */
public final class AwayWords {
  private static final int MOST_PLANS = 3;

  private AwayWords() {}

  /** The sentence for the requests of all plans of the policy in force. */
  public static Supplier<String> of(ClusterPolicy policies) {
    return () -> sentence(policies.current().policy().plans().values());
  }

  static String sentence(Collection<Plan> all) {
    Map<FailureMode, List<String>> plans = all.stream()
        .collect(groupingBy(Plan::failureMode, TreeMap::new, mapping(Plan::name, toList())));
    return "Until then " + inWords(plans) + ".";
  }

  private static String inWords(Map<FailureMode, List<String>> plans) {
    return plans.size() < 2
        ? plans.keySet().stream().map(AwayWords::of).collect(joining())
        : plans.entrySet().stream()
            .map(each -> "%s (%s)".formatted(of(each.getKey()), named(each.getValue())))
            .collect(joining("; "));
  }

  /** The words for the requests of a plan. */
  public static String of(FailureMode mode) {
    return switch (mode) {
      case LOCAL ->
        "each node gives out its share of the limits, and quotas neither deny nor count";
      case DENY -> "requests are refused with 503";
      case ALLOW -> "requests pass unchecked";
    };
  }

  private static String named(List<String> plans) {
    String first = plans.stream().sorted().limit(MOST_PLANS).collect(joining(", "));
    int others = plans.size() - MOST_PLANS;
    return "%s %s%s"
        .formatted(
            plans.size() == 1 ? "plan" : "plans",
            first,
            others > 0 ? " and %d more".formatted(others) : "");
  }
}
