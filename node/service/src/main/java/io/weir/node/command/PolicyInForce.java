package io.weir.node.command;

import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.inspect.StateInspector;
import io.weir.state.inspect.StateInspector.Published;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The policy in force, for commands that read the shared state: it tells empty state from unknown names.
 *
 * @param others finds subjects that are not in the policy
 */
record PolicyInForce(
    Optional<Published> published,
    Optional<Policy> policy,
    BiFunction<Policy, String, Optional<Subject>> others) {

  /** Reads it from Redis. */
  static PolicyInForce of(
      StateInspector inspector, BiFunction<Policy, String, Optional<Subject>> others) {
    Optional<Published> published = inspector.policy();
    return new PolicyInForce(
        published,
        published.map(it -> PolicyDocuments.parse(it.name(), it.document()).policy()),
        others);
  }

  /** The policy's revision, as the end of a message about an unknown name. */
  String revisionText() {
    return published
        .map(it -> " (the policy in force is revision %d)".formatted(it.revision()))
        .orElse(" (no policy is in force)");
  }

  /** In the form that {@link StateInspector#showAll} needs. */
  String bursts() {
    return published.map(Published::bursts).orElse("");
  }

  Optional<Subject> subject(String id) {
    return policy.flatMap(it -> it.subject(id, unlisted -> others.apply(it, unlisted)));
  }

  boolean has(Function<Policy, Set<String>> names, String name) {
    return policy.filter(it -> names.apply(it).contains(name)).isPresent();
  }

  /** The distinct plans of all subjects that match. */
  List<Plan> plans(Predicate<Subject> chosen) {
    return policy.stream()
        .flatMap(it -> it.callers().subjects().values().stream())
        .filter(chosen)
        .map(Subject::plan)
        .distinct()
        .toList();
  }
}
