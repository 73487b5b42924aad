package io.weir.core.policy.read;

import io.weir.core.policy.OperationRule;
import io.weir.core.policy.read.BucketsReader.DefinedBucket;
import io.weir.core.policy.read.OperationsReader.DefinedOperation;
import io.weir.core.policy.read.PlansReader.DefinedPlan;
import io.weir.core.policy.read.SubjectsReader.Subjects;
import io.weir.core.policy.schema.Section;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A policy as it was read, before it is checked as a whole; wrong parts are left out. The components are read in this
 * order, as each needs those before it.
 */
record PolicyDraft(
    Section root,
    PolicySettings settings,
    DefinedLimits limits,
    List<DefinedOperation> operations,
    Map<String, DefinedPlan> plans,
    Subjects subjects) {

  static PolicyDraft read(Section root) {
    PolicySettings settings = PolicySettings.read(root);
    DefinedLimits limits = DefinedLimits.read(root, settings);
    List<DefinedOperation> operations = OperationsReader.read(root);
    OverrideReader overrides =
        new OverrideReader(settings.bursts(), named(operations, limits), limits.ofTenants());
    Map<String, DefinedPlan> plans = new PlansReader(settings, limits, overrides).read(root);
    Subjects subjects = new SubjectsReader(
            plans, overrides, unlimited(operations), settings.allowsUnlisted())
        .read(root);
    return new PolicyDraft(root, settings, limits, operations, plans, subjects);
  }

  /** The operations that rules, buckets, quotas or permits name. */
  private static Set<String> named(List<DefinedOperation> operations, DefinedLimits limits) {
    Set<String> named = defined(operations, limits.buckets().values());
    limits.kinds().values().forEach(limit -> named.addAll(limit.operations()));
    return named;
  }

  private static Set<String> defined(
      List<DefinedOperation> operations, Collection<DefinedBucket> buckets) {
    Set<String> defined = new LinkedHashSet<>();
    operations.forEach(operation -> defined.add(operation.rule().name()));
    buckets.forEach(bucket -> defined.addAll(bucket.shape().demands().keySet()));
    return defined;
  }

  private static Set<String> unlimited(List<DefinedOperation> operations) {
    return operations.stream()
        .map(DefinedOperation::rule)
        .filter(rule -> rule.excess().unlimited())
        .map(OperationRule::name)
        .collect(Collectors.toSet());
  }

  List<OperationRule> rules() {
    return operations.stream().map(DefinedOperation::rule).toList();
  }

  /** The operations that rules or buckets name. */
  Set<String> definedOperations() {
    return defined(operations, limits.buckets().values());
  }

  /** The operations that rules, or the buckets of a plan's set, name and that are limited at all. */
  Set<String> limitedOperations(DefinedPlan plan) {
    Set<String> limited = defined(operations, limits.of(plan.set()));
    limited.removeAll(unlimited(operations));
    return limited;
  }

  /** The buckets that are in a plan. */
  List<DefinedBucket> drawnBuckets() {
    Set<String> drawn = plans.values().stream()
        .flatMap(plan -> plan.draft().buckets().stream())
        .collect(Collectors.toSet());
    return limits.buckets().values().stream()
        .filter(bucket -> drawn.contains(bucket.name()))
        .toList();
  }
}
