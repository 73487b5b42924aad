package io.weir.core.policy;

import io.weir.core.bucket.Bucket;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All the rules, read and compiled. Immutable.
 *
 * @param buckets the buckets that plans demand from, in the order of the policy; without those of overrides
 * @param rules the rules that map requests to operations; the first match wins
 * @param plans by name
 * @param defaultPlan the plan of subjects without a plan
 * @param subjects by id
 * @param upstream the target of the gateway for requests without another one
 * @param parts the settings of rooms
 */
public record Policy(
    List<Bucket> buckets,
    List<OperationRule> rules,
    Map<String, Plan> plans,
    Optional<Plan> defaultPlan,
    Map<String, Subject> subjects,
    Optional<Upstream> upstream,
    Parts parts) {

  public Policy {
    buckets = List.copyOf(buckets);
    rules = List.copyOf(rules);
    plans = Map.copyOf(plans);
    subjects = Map.copyOf(subjects);
  }

  /** The subject with this id. */
  public Optional<Subject> subject(String id) {
    return Optional.ofNullable(subjects.get(id));
  }

  /**
   * The operation of a request.
   *
   * @param method in upper case
   * @param path the segments of the decoded path
   */
  public Optional<OperationRule> rule(String method, List<String> path) {
    for (OperationRule rule : rules) {
      if (rule.matches(method, path)) {
        return Optional.of(rule);
      }
    }
    return Optional.empty();
  }

  /** The rule of an operation by its name. */
  public Optional<OperationRule> rule(String operation) {
    for (OperationRule rule : rules) {
      if (rule.name().equals(operation)) {
        return Optional.of(rule);
      }
    }
    return Optional.empty();
  }

  /** The cost of a request for an operation that names none, in operations: 1 for an unknown operation. */
  public long ownCost(String operation) {
    return rule(operation).map(rule -> rule.cost().own()).orElse(1L);
  }
}
