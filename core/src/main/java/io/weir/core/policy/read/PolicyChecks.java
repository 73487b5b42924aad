package io.weir.core.policy.read;

import io.weir.core.policy.Access;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.OperationRule.Route;
import io.weir.core.policy.Plan;
import io.weir.core.policy.read.BucketsReader.BucketSet;
import io.weir.core.policy.read.BucketsReader.DefinedBucket;
import io.weir.core.policy.read.PlansReader.DefinedPlan;
import io.weir.core.policy.read.PolicyCheck.Finding;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rules about a policy as a whole, which no section breaks by itself. */
final class PolicyChecks {
  // Redis serves nobody else while it decides on all limits of a request.
  private static final int MAX_LIMITS_OF_OPERATION = 32;
  private static final int MAX_NAMED = 20;
  // The fields of a throttle file of Hedera's form, and those that say how to read one.
  private static final Set<String> THROTTLE_FILE =
      Set.of("buckets", "bucketSet", "extendBursts", "description", "failureMode");
  private static final Set<String> THROTTLE_BUCKET =
      Set.of("name", "burstPeriod", "burstPeriodMs", "throttleGroups", "highVolume");

  private static final List<PolicyCheck> ERRORS = List.of(
      new PolicyCheck("operation_unknown", PolicyChecks::unknownOperations),
      new PolicyCheck("share_for_nobody", PolicyChecks::sharesForNobody),
      new PolicyCheck("overflow_unknown", OverflowChecks::ofQuotas),
      new PolicyCheck("overflow_unknown", OverflowChecks::outsideOfPlans),
      new PolicyCheck("overflow_unknown", OverflowChecks::ofBuckets),
      new PolicyCheck("bucket_unused", PolicyChecks::unusedBuckets),
      new PolicyCheck("too_many_limits", PolicyChecks::longDecisions));

  private static final List<PolicyCheck> WARNINGS = List.of(
      new PolicyCheck("bucket_set_not_loaded", PolicyChecks::setsNotLoaded),
      new PolicyCheck("plan_unused", PolicyChecks::unusedPlans),
      new PolicyCheck("tenant_unused", PolicyChecks::unusedTenants),
      new PolicyCheck("scope_assumed", PolicyChecks::assumedScope),
      new PolicyCheck("operation_unthrottled", PolicyChecks::unthrottledOperations),
      new PolicyCheck("methods_unlisted", PolicyChecks::unlistedMethods));

  private PolicyChecks() {}

  /** Reports each rule that a policy breaks. */
  static void report(PolicyDraft draft) {
    ERRORS.forEach(check -> check.reportErrors(draft));
    WARNINGS.forEach(check -> check.reportWarnings(draft));
  }

  // Its limit would never apply.
  private static Stream<Finding> unknownOperations(PolicyDraft draft) {
    Set<String> defined = draft.definedOperations();
    return draft.limits().kinds().values().stream()
        .flatMap(limit -> limit.operations().stream()
            .filter(operation -> !defined.contains(operation))
            .sorted()
            .map(operation -> new Finding(
                limit.section(),
                "operations",
                "'%s' is no operation of the policy".formatted(operation))));
  }

  private static Stream<Finding> sharesForNobody(PolicyDraft draft) {
    Set<String> defined = draft.definedOperations();
    return draft.limits().buckets().values().stream()
        .flatMap(bucket -> bucket.options().kept().stream()
            .map(kept -> without(kept.plans(), draft.plans().keySet(), kept.operations(), defined))
            .filter(unknown -> !unknown.isEmpty())
            .map(unknown ->
                new Finding(bucket.section(), "keepFor", "no plans or operations " + unknown)));
  }

  private static Set<String> without(
      Set<String> plans, Set<String> knownPlans, Set<String> operations, Set<String> known) {
    Set<String> unknown = new TreeSet<>(plans);
    unknown.removeAll(knownPlans);
    operations.stream().filter(operation -> !known.contains(operation)).forEach(unknown::add);
    return unknown;
  }

  private static Stream<Finding> unusedBuckets(PolicyDraft draft) {
    return undrawn(draft, true)
        .map(bucket ->
            new Finding(bucket.section(), "name", "%s is in no plan".formatted(bucket.name())));
  }

  private static Stream<Finding> setsNotLoaded(PolicyDraft draft) {
    String message = "%s is left out: no plan has the bucketSet %s";
    return undrawn(draft, false)
        .map(bucket -> new Finding(
            bucket.section(),
            "name",
            message.formatted(bucket.name(), PlansReader.wordOf(bucket.set()))));
  }

  private static Stream<DefinedBucket> undrawn(PolicyDraft draft, boolean isSetLoaded) {
    Collection<DefinedPlan> plans = draft.plans().values();
    Set<BucketSet> sets = plans.stream().map(DefinedPlan::set).collect(Collectors.toSet());
    Set<String> drawn = plans.stream()
        .filter(plan -> plan.access() != Access.UNLIMITED)
        .flatMap(plan -> plan.draft().buckets().stream())
        .collect(Collectors.toSet());
    return draft.limits().buckets().values().stream()
        .filter(bucket -> !drawn.contains(bucket.name()))
        .filter(bucket -> sets.contains(bucket.set()) == isSetLoaded);
  }

  private static Stream<Finding> longDecisions(PolicyDraft draft) {
    return draft.plans().values().stream()
        .flatMap(plan -> plan.draft().operations().stream()
            .filter(operation -> plan.draft().limitsOf(operation) > MAX_LIMITS_OF_OPERATION)
            .map(operation -> new Finding(
                plan.section(),
                "%s has %d buckets, quotas and permits in the plan %s (expected: at most %d)"
                    .formatted(
                        operation,
                        plan.draft().limitsOf(operation),
                        plan.name(),
                        MAX_LIMITS_OF_OPERATION))));
  }

  private static Stream<Finding> unusedPlans(PolicyDraft draft) {
    return draft.plans().values().stream()
        .filter(plan -> !draft.subjects().usedPlans().contains(plan.name()))
        .map(plan -> new Finding(
            plan.section(),
            "no subject, tenant or default of the policy has the plan %s, only keys outside of it may"
                .formatted(plan.name())));
  }

  private static Stream<Finding> unusedTenants(PolicyDraft draft) {
    return draft.subjects().deserted().stream()
        .map(tenant -> new Finding(
            tenant, "no subject of the policy belongs to it, only keys outside of it may"));
  }

  // Hedera's throttle files limit a whole network, and know neither callers nor scopes.
  private static Stream<Finding> assumedScope(PolicyDraft draft) {
    Collection<DefinedBucket> buckets = draft.limits().buckets().values();
    boolean isThrottleFile = draft.root().hasOnly(THROTTLE_FILE)
        && buckets.stream().allMatch(bucket -> bucket.section().hasOnly(THROTTLE_BUCKET));
    return isThrottleFile && !buckets.isEmpty()
        ? Stream.of(
            new Finding(
                draft.root(),
                "buckets",
                "no scope: they limit each account by itself (expected: defaults.scope: cluster for all accounts together, or key)"))
        : Stream.empty();
  }

  // A bucket with errors may be the one that limits an operation.
  private static Stream<Finding> unthrottledOperations(PolicyDraft draft) {
    return draft.plans().values().stream()
        .filter(
            plan -> plan.access() == Access.LIMITED && draft.limits().broken().isEmpty())
        .flatMap(plan -> {
          Set<String> missing = new TreeSet<>(draft.limitedOperations(plan));
          missing.removeAll(plan.draft().operations());
          return missing.isEmpty()
              ? Stream.empty()
              : Stream.of(new Finding(plan.section(), unthrottled(plan, missing, draft)));
        });
  }

  private static String unthrottled(DefinedPlan plan, Set<String> missing, PolicyDraft draft) {
    String named = missing.stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
    String more =
        missing.size() > MAX_NAMED ? " and %d more".formatted(missing.size() - MAX_NAMED) : "";
    return "the plan %s does not limit %s%s: requests for them are %s"
        .formatted(
            plan.name(), named, more, draft.settings().allowsUnlisted() ? "allowed" : "denied");
  }

  // Once for each limited path of which the rules name some methods only: the others are not
  // limited.
  private static Stream<Finding> unlistedMethods(PolicyDraft draft) {
    boolean isOpen = draft.settings().allowsUnlisted()
        && draft.plans().values().stream().anyMatch(PolicyChecks::leavesUnlisted);
    if (!isOpen) {
      return Stream.empty();
    }
    List<Route> limited = draft.rules().stream()
        .filter(rule -> !rule.excess().unlimited())
        .flatMap(rule -> rule.route().stream())
        .toList();
    return draft.operations().stream()
        .flatMap(operation -> operation.rule().route().stream()
            .filter(route -> isFirstOfOpen(route, limited, draft.rules()))
            .map(route -> new Finding(operation.section(), "match", unlisted(route, limited))));
  }

  private static boolean leavesUnlisted(DefinedPlan plan) {
    return plan.access() == Access.LIMITED && !plan.draft().operations().contains(Plan.UNLISTED);
  }

  private static boolean isFirstOfOpen(
      Route route, List<Route> limited, List<OperationRule> rules) {
    boolean isOpen = rules.stream()
        .flatMap(rule -> rule.route().stream())
        .noneMatch(other -> other.takesAllMethods() && other.path().covers(route.path()));
    Optional<Route> first =
        limited.stream().filter(other -> other.path().covers(route.path())).findFirst();
    return isOpen && first.filter(route::equals).isPresent();
  }

  private static String unlisted(Route route, List<Route> limited) {
    String named = limited.stream()
        .filter(other -> other.path().covers(route.path()))
        .flatMap(other -> other.methods().stream())
        .distinct()
        .sorted()
        .collect(Collectors.joining(", "));
    return "the rules of this path limit %s only: other methods are allowed without a limit"
        .formatted(named);
  }
}
