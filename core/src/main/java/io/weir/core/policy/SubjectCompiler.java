package io.weir.core.policy;

import io.weir.core.policy.SubjectEntry.Compiled;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Compiles the limits of subjects that are defined outside of a policy. Safe for use by many threads. */
public interface SubjectCompiler {
  /** The limits of a subject. */
  Compiled compile(SubjectEntry entry);

  /** The name of the plan of a subject, if any is named anywhere. */
  Optional<String> planName(SubjectEntry entry);

  /** Whether the policy lists this tenant, whose settings outside of it do not apply then. */
  boolean listsTenant(String name);

  /** The names of the policy that such subjects depend on. */
  NamesInUse names();

  /**
   * The names of a policy that subjects outside of it depend on.
   *
   * @param planOfTenant by the tenants that the policy lists
   * @param targets the names that overrides may use, with what decides whether they fit, by plan
   */
  record NamesInUse(
      Optional<String> defaultPlan,
      Map<String, Optional<String>> planOfTenant,
      Map<String, Set<List<Object>>> targets) {
    public NamesInUse {
      planOfTenant = Map.copyOf(planOfTenant);
      targets = Map.copyOf(targets);
    }

    /** Whether each plan, and each name in it, that a subject has by another policy is here, too. */
    boolean keeps(NamesInUse before) {
      return defaultPlan.equals(before.defaultPlan)
          && planOfTenant.equals(before.planOfTenant)
          && before.targets.entrySet().stream()
              .allMatch(plan -> has(plan.getKey(), plan.getValue()));
    }

    private boolean has(String plan, Set<List<Object>> names) {
      Set<List<Object>> known = targets.get(plan);
      return known != null && known.containsAll(names);
    }
  }
}
