package io.weir.policy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * A compiled set of limits, shared by all subjects that have no override of their own. Immutable.
 */
public final class Plan {
  private final String name;
  private final Map<String, OperationLimit> limits;
  private final OperationLimit others;

  Plan(String name, Map<String, OperationLimit> limits, OperationLimit others) {
    this.name = name;
    this.limits = new LinkedHashMap<>(limits);
    this.others = others;
  }

  /** The plan's name in the policy; a subject's overrides do not change it. */
  public String name() {
    return name;
  }

  /** The limit of an operation, whether or not the policy names it. */
  public OperationLimit limit(String operation) {
    return limits.getOrDefault(operation, others);
  }

  /** The operations that the plan says something of. */
  public Set<String> operations() {
    return Set.copyOf(limits.keySet());
  }
}
