package io.weir.core.policy;

import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.Problem;
import java.util.List;
import java.util.Optional;

/**
 * A subject that is defined outside of the policy, before it is compiled by one.
 *
 * @param plan its own plan; if empty, that of its tenant or the default one
 * @param access whether it is limited at all
 * @param overrides as a list in the policy has them; empty for none
 * @param ofTenant the settings of its tenant outside of the policy; those of the policy count before them
 */
public record SubjectEntry(
    String id,
    String tenant,
    Optional<String> plan,
    Access access,
    List<DocumentValue> overrides,
    TenantEntry ofTenant) {
  public SubjectEntry {
    overrides = List.copyOf(overrides);
  }

  /** The settings of a tenant outside of the policy. */
  public record TenantEntry(Optional<String> plan, Access access, List<DocumentValue> overrides) {
    /** A tenant without settings. */
    public static final TenantEntry NONE =
        new TenantEntry(Optional.empty(), Access.LIMITED, List.of());

    public TenantEntry {
      overrides = List.copyOf(overrides);
    }
  }

  /**
   * A subject as a policy has compiled it.
   *
   * @param plan empty if the policy has not the plan
   * @param problems of overrides, which are left out where they do not fit into the plan
   */
  public record Compiled(Optional<Plan> plan, List<Problem> problems) {
    public Compiled {
      problems = List.copyOf(problems);
    }
  }
}
