package io.weir.node.command;

import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectRule;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.inspect.StateInspector;
import io.weir.state.inspect.StateInspector.Published;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

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

  /** Whether a subject or a rule is of this tenant. */
  boolean names(String tenant) {
    return policy.stream()
        .flatMap(it -> Stream.concat(
            it.callers().subjects().values().stream().map(Subject::tenant),
            it.callers().subjectRules().stream().map(SubjectRule::tenant)))
        .anyMatch(tenant::equals);
  }

  /** The distinct plans that callers of a tenant may have: those of the policy that is in force, if it does not name them. */
  List<Plan> plansOf(String tenant) {
    List<Plan> listed = plans(subject -> subject.tenant().equals(tenant));
    return listed.isEmpty()
        ? policy.stream().flatMap(it -> it.plans().values().stream()).distinct().toList()
        : listed;
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
