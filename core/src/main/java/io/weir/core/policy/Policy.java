package io.weir.core.policy;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Names;
import io.weir.core.policy.OperationRule.Route;
import io.weir.core.policy.SubjectEntry.Compiled;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * All the rules, read and compiled. Immutable.
 *
 * @param buckets the buckets that plans demand from, in the order of the policy; without those of overrides
 * @param plans by name
 * @param defaultPlan the plan of subjects without a plan
 * @param parts the settings of extensions
 */
public record Policy(
    List<Bucket> buckets,
    Map<String, Plan> plans,
    Optional<Plan> defaultPlan,
    Routing routing,
    Callers callers,
    Parts parts) {

  /**
   * The operations of requests, and where the gateway sends them.
   *
   * @param rules the rules that map requests to operations; the first match wins
   * @param operations the same rules by the names of their operations
   * @param upstream the target of the gateway for requests without another one
   */
  public record Routing(
      List<OperationRule> rules,
      Map<String, OperationRule> operations,
      Optional<Upstream> upstream) {
    public Routing {
      rules = List.copyOf(rules);
      operations = Map.copyOf(operations);
    }
  }

  /**
   * The subjects, and how those are found that the policy does not list.
   *
   * @param subjects by id
   * @param subjectRules for subjects without a record; the first match counts
   * @param compiler compiles subjects that are defined outside of the policy
   */
  public record Callers(
      Map<String, Subject> subjects, List<SubjectRule> subjectRules, SubjectCompiler compiler) {
    public Callers {
      subjects = Map.copyOf(subjects);
      subjectRules = List.copyOf(subjectRules);
    }
  }

  public Policy {
    buckets = List.copyOf(buckets);
    plans = Map.copyOf(plans);
  }

  /** The distinct plans of its subjects and rules, and all plans without overrides. */
  public Stream<Plan> allPlans() {
    return Stream.of(
            plans.values().stream(),
            callers.subjects().values().stream().map(Subject::plan),
            callers.subjectRules().stream().map(SubjectRule::plan))
        .flatMap(stream -> stream)
        .distinct();
  }

  /** The subject with this name: one that the policy lists, or that a rule covers. */
  public Optional<Subject> subject(String name) {
    return subject(name, unlisted -> Optional.empty());
  }

  /**
   * The subject with this name, in the order that counts everywhere: what the policy lists, a record outside of it, what
   * a rule covers.
   */
  public Optional<Subject> subject(String name, Function<String, Optional<Subject>> records) {
    return listed(name).or(() -> records.apply(name)).or(() -> covered(name));
  }

  /** The subject with this id that the policy lists. */
  public Optional<Subject> listed(String id) {
    return Optional.ofNullable(callers.subjects().get(id));
  }

  /** The subject with this name that a rule covers. */
  public Optional<Subject> covered(String name) {
    return ruleOf(name).map(rule -> rule.subject(name));
  }

  /** The first rule that covers this name. */
  public Optional<SubjectRule> ruleOf(String name) {
    if (!Names.isSubject(name)) {
      return Optional.empty();
    }
    for (SubjectRule rule : callers.subjectRules()) {
      if (rule.match().matches(name)) {
        return Optional.of(rule);
      }
    }
    return Optional.empty();
  }

  /** Whether it lists this tenant, whose settings outside of it do not apply then. */
  public boolean listsTenant(String name) {
    return callers.compiler().listsTenant(name);
  }

  /**
   * Whether it has each plan, and each name in it, that subjects outside of another policy have by that one: if so, none
   * of them loses its limits or an override by its names.
   */
  public boolean keepsNamesOf(Policy before) {
    return callers.subjects().keySet().containsAll(before.callers.subjects().keySet())
        && callers.compiler().names().keeps(before.callers.compiler().names());
  }

  /** The limits of a subject that is defined outside of this policy. */
  public Compiled compile(SubjectEntry entry) {
    return callers.compiler().compile(entry);
  }

  /** The name of the plan of such a subject, if any is named anywhere. */
  public Optional<String> planName(SubjectEntry entry) {
    return callers.compiler().planName(entry);
  }

  /**
   * The operation of a request; HEAD is that of GET, unless the policy says otherwise.
   *
   * @param method in upper case
   * @param path the segments of the decoded path
   */
  public Optional<OperationRule> rule(String method, List<String> path) {
    return Route.first(routing.rules(), OperationRule::route, method, path);
  }

  /** The rule of an operation by its name. */
  public Optional<OperationRule> rule(String operation) {
    return Optional.ofNullable(routing.operations().get(operation));
  }

  /** The cost of a request for an operation that names none, in operations: 1 for an unknown operation. */
  public long ownCost(String operation) {
    OperationRule rule = routing.operations().get(operation);
    return rule == null ? 1 : rule.cost().own();
  }
}
