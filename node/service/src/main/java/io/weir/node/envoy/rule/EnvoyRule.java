package io.weir.node.envoy.rule;

import io.weir.core.policy.Plan;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The limit of the descriptors that a rule matches.
 *
 * @param name of the limit, in answers and metrics
 * @param replaces names of rules that do not count beside this one
 * @param plan limits the operation with the rule's name, unless a descriptor carries a limit
 */
public record EnvoyRule(
    String name, List<EntryMatch> match, Counting counting, Set<String> replaces, Plan plan) {
  /**
   * The counting of its descriptors.
   *
   * @param limit empty if it has none
   * @param charges what its descriptors are charged as, in place of a limit
   */
  public record Counting(
      Optional<UnitLimit> limit, Set<RuleOption> options, Optional<PolicyCharge> charges) {
    public Counting {
      options = Set.copyOf(options);
    }
  }

  public EnvoyRule {
    match = List.copyOf(match);
    replaces = Set.copyOf(replaces);
  }

  /** Whether it has an option. */
  public boolean has(RuleOption option) {
    return counting.options.contains(option);
  }
}
