package io.weir.core.policy;

import io.weir.core.policy.SubjectEntry.TenantEntry;
import java.util.Optional;

/**
 * A rule for subjects without a record of their own: their tenant and plan.
 *
 * @param match the names that it covers
 * @param plan without settings of the tenant outside of the policy
 * @param terms what the plan is compiled from
 */
public record SubjectRule(SubjectPattern match, Plan plan, SubjectEntry terms) {
  /** The tenant of the subjects. */
  public String tenant() {
    return terms.tenant();
  }

  Subject subject(String name) {
    return new Subject(name, tenant(), plan, Optional.empty());
  }

  /** A subject of the rule, with settings of its tenant outside of the policy. */
  public SubjectEntry with(TenantEntry ofTenant) {
    return new SubjectEntry(
        terms.id(), terms.tenant(), terms.plan(), terms.access(), terms.overrides(), ofTenant);
  }
}
