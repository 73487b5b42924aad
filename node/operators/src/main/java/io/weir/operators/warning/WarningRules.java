package io.weir.operators.warning;

import io.weir.core.policy.PartKey;
import io.weir.core.policy.Policy;
import java.util.List;

/** The rules of a policy for warnings. Immutable. */
record WarningRules(List<WarningRule> all) {
  static final PartKey<WarningRules> PART = new PartKey<>("warnings", WarningRules.class);

  WarningRules {
    all = List.copyOf(all);
  }

  static List<WarningRule> of(Policy policy) {
    return policy.parts().get(PART).map(WarningRules::all).orElse(List.of());
  }
}
