package io.weir.keys.identity;

import io.weir.core.bucket.Names;
import io.weir.core.policy.Policy;
import io.weir.core.policy.schema.Section;
import io.weir.keys.identity.IdentityRule.Assigned;
import java.util.ArrayList;
import java.util.List;

/** Finds contradictions between the sources of identities, and between them and the policy. */
final class IdentityChecks {
  private IdentityChecks() {}

  static void check(Section root, Policy policy, IdentityRule rule) {
    List<Assigned> all = new ArrayList<>();
    rule.jwt().values().forEach(jwt -> all.add(jwt.assigned()));
    rule.header().ifPresent(header -> all.add(header.assigned()));
    rule.certificate().ifPresent(all::add);
    rule.anonymous().ifPresent(anonymous -> all.add(anonymous.assigned()));
    all.stream()
        .flatMap(one -> one.plan().stream())
        .filter(plan -> !policy.plans().containsKey(plan))
        .distinct()
        .forEach(plan -> root.error(
            "plan_unknown", "identity", "'%s' (expected: one of the plans)".formatted(plan)));
    findSamePrefixes(root, all);
    findLostPlans(root, rule, all);
  }

  // Names of two sources, and ids of keys, must not be the same by chance or by somebody's choice.
  private static void findSamePrefixes(Section root, List<Assigned> all) {
    for (int i = 0; i < all.size(); i++) {
      String prefix = all.get(i).prefix();
      boolean isOfOther = false;
      for (int j = 0; j < all.size(); j++) {
        isOfOther |= i != j && all.get(j).prefix().startsWith(prefix);
      }
      if (isOfOther || prefix.matches(Names.ID_PATTERN)) {
        root.error(
            "prefix_ambiguous",
            "identity",
            "'%s' (expected: a prefix that no other begins with, and with a character that ids have not)"
                .formatted(prefix));
      }
    }
  }

  private static void findLostPlans(Section root, IdentityRule rule, List<Assigned> all) {
    boolean isOfTokens = rule.jwt().values().stream()
        .filter(
            jwt -> jwt.claims().tenant().isEmpty() && jwt.assigned().tenant().isEmpty())
        .anyMatch(
            jwt -> jwt.claims().plan().isPresent() || jwt.assigned().plan().isPresent());
    boolean isOfOthers = all.stream()
        .skip(rule.jwt().size())
        .anyMatch(one -> one.plan().isPresent() && one.tenant().isEmpty());
    if (isOfTokens || isOfOthers) {
      root.error(
          "plan_without_tenant", "identity", "a plan, and no tenant (expected: both, or a rule)");
    }
  }
}
