package io.weir.core.policy;

import java.util.Optional;

/**
 * A rule for subjects without a record of their own: their tenant and plan.
 *
 * @param match the names that it covers
 */
public record SubjectRule(SubjectPattern match, String tenant, Plan plan) {
  Subject subject(String name) {
    return new Subject(name, tenant, plan, Optional.empty());
  }
}
