package io.weir.node.envoy.rule;

import io.weir.core.policy.Plan;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The limit of the descriptors that a rule matches.
 *
 * @param name of the limit, in answers and metrics
 * @param limit empty if it has none
 * @param takesLimits whether a limit that a descriptor carries counts in place of its own
 * @param audits whether it is decided and not enforced
 * @param isDivided whether it is divided among Envoys, which decide without a call
 * @param charges what its descriptors are charged as, in place of a limit
 * @param replaces names of rules that do not count beside this one
 * @param plan limits the operation with the rule's name, unless a descriptor carries a limit
 */
public record EnvoyRule(
    String name,
    List<EntryMatch> match,
    Optional<UnitLimit> limit,
    boolean takesLimits,
    boolean audits,
    boolean isDivided,
    Optional<PolicyCharge> charges,
    Set<String> replaces,
    Plan plan) {
  public EnvoyRule {
    match = List.copyOf(match);
    replaces = Set.copyOf(replaces);
  }
}
