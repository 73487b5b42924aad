package io.weir.core.policy.read;

import io.weir.core.policy.Access;
import io.weir.core.policy.FrozenPart;
import java.util.Optional;

/**
 * The access of a subject, by its own, its tenant's and its plan's. Immutable.
 *
 * @param frozen the first of them that is frozen
 */
record EffectiveAccess(Access access, Optional<FrozenPart> frozen) {
  static EffectiveAccess of(Access key, Access tenant, Access plan) {
    Optional<FrozenPart> frozen = part(key, FrozenPart.KEY)
        .or(() -> part(tenant, FrozenPart.TENANT))
        .or(() -> part(plan, FrozenPart.PLAN));
    return new EffectiveAccess(key.or(tenant).or(plan), frozen);
  }

  /** The access of a plan alone. */
  static EffectiveAccess ofPlan(Access plan) {
    return of(Access.LIMITED, Access.LIMITED, plan);
  }

  private static Optional<FrozenPart> part(Access access, FrozenPart part) {
    return access == Access.FROZEN ? Optional.of(part) : Optional.empty();
  }
}
