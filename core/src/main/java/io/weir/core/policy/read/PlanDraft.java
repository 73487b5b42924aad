package io.weir.core.policy.read;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.FrozenPart;
import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Frozen;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.OperationLimit.Unlimited;
import io.weir.core.policy.Plan;
import io.weir.core.slot.SlotMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A plan before it is compiled, as overrides change it. Immutable: each change makes another draft.
 *
 * @param shapes the buckets, in the order of the policy
 * @param own the own buckets of single operations that left the key's shared ones, by operation
 * @param frozen the operations with a limit of zero
 * @param kinds the demands besides plain rates
 */
record PlanDraft(
    List<BucketShape> shapes, Map<String, BucketShape> own, Set<String> frozen, PlanKinds kinds) {

  PlanDraft {
    shapes = List.copyOf(shapes);
    own = Map.copyOf(own);
    frozen = Set.copyOf(frozen);
  }

  static PlanDraft of(List<BucketShape> shapes, PlanKinds kinds) {
    return new PlanDraft(shapes, Map.of(), Set.of(), kinds);
  }

  Optional<BucketShape> shape(String bucket) {
    return shapes.stream().filter(shape -> shape.bucket().name().equals(bucket)).findFirst();
  }

  /** The same draft with another shape instead of the one of that name. */
  PlanDraft withShape(BucketShape replacement) {
    String name = replacement.bucket().name();
    List<BucketShape> replaced = shapes.stream()
        .map(shape -> shape.bucket().name().equals(name) ? replacement : shape)
        .toList();
    return new PlanDraft(replaced, own, thawed(replacement.demands().keySet()), kinds);
  }

  PlanDraft withOwn(String operation, BucketShape shape) {
    Map<String, BucketShape> more = new LinkedHashMap<>(own);
    more.put(operation, shape);
    return new PlanDraft(shapes, more, thawed(Set.of(operation)), kinds);
  }

  PlanDraft withFrozen(String operation) {
    Set<String> more = new HashSet<>(frozen);
    more.add(operation);
    return new PlanDraft(shapes, own, more, kinds);
  }

  /** Freezes the operations of a bucket, except those with a bucket of their own. */
  PlanDraft withFrozenBucket(BucketShape shape) {
    Set<String> more = new HashSet<>(frozen);
    shape.demands().keySet().stream()
        .filter(operation -> !own.containsKey(operation))
        .forEach(more::add);
    return new PlanDraft(shapes, own, more, kinds);
  }

  PlanDraft withKinds(PlanKinds other) {
    return new PlanDraft(shapes, own, frozen, other);
  }

  private Set<String> thawed(Set<String> operations) {
    Set<String> fewer = new HashSet<>(frozen);
    fewer.removeAll(operations);
    return fewer;
  }

  /** The names of its buckets. */
  Set<String> buckets() {
    return shapes.stream().map(shape -> shape.bucket().name()).collect(Collectors.toSet());
  }

  /** The operations that a bucket of the plan limits, or that are frozen. */
  Set<String> operations() {
    Set<String> operations = new LinkedHashSet<>();
    shapes.forEach(shape -> operations.addAll(shape.demands().keySet()));
    operations.addAll(own.keySet());
    operations.addAll(frozen);
    operations.addAll(kinds.operations());
    return operations;
  }

  /** The number of buckets, quotas and permits on which a request of this operation is decided, at most. */
  long limitsOf(String operation) {
    return shapes.stream()
            .filter(shape -> shape.demands().containsKey(operation))
            .count()
        + kinds.limits().stream().filter(limit -> limit.limits(operation)).count();
  }

  /** The names that overrides may use, with what decides whether they fit. */
  Set<List<Object>> targets() {
    Set<List<Object>> targets = new HashSet<>();
    operations().forEach(operation -> targets.add(List.of(operation)));
    shapes.stream()
        .map(BucketShape::bucket)
        .forEach(bucket -> targets.add(
            List.of(bucket.name(), bucket.scope(), kinds.of(bucket.name()).mode())));
    kinds
        .limits()
        .forEach(
            limit -> targets.add(List.of(limit.demand().name(), limit.demand().scope())));
    return targets;
  }

  /** Whether a bucket is decided and not enforced. */
  boolean isAudited() {
    return shapes.stream().anyMatch(this::isAudited);
  }

  private boolean isAudited(BucketShape shape) {
    return kinds.of(shape.bucket().name()).mode() == LimitMode.AUDIT;
  }

  /** The same draft without the buckets that are not enforced. */
  PlanDraft enforced() {
    return new PlanDraft(
        shapes.stream().filter(shape -> !isAudited(shape)).toList(), own, frozen, kinds);
  }

  /** The buckets that are not enforced, alone. */
  PlanDraft audited() {
    return new PlanDraft(
        shapes.stream().filter(this::isAudited).toList(), Map.of(), Set.of(), kinds.ofBuckets());
  }

  /** @param unlimited the operations that are never counted */
  Plan compile(
      String name,
      Set<String> unlimited,
      OperationLimit others,
      SlotMode slots,
      FailureMode failureMode) {
    Map<String, OperationLimit> limits = new LinkedHashMap<>();
    operations().forEach(operation -> limits.put(operation, limit(name, operation)));
    unlimited.stream()
        .filter(operation -> !frozen.contains(operation))
        .forEach(operation -> limits.put(operation, new Unlimited()));
    return new Plan(name, limits, others, slots, failureMode);
  }

  private OperationLimit limit(String plan, String operation) {
    if (frozen.contains(operation)) {
      return new Frozen(FrozenPart.OPERATION);
    }
    List<Demand> demands = new ArrayList<>();
    Set<String> leftBuckets = new HashSet<>();
    Optional<BucketShape> ownShape = Optional.ofNullable(own.get(operation));
    ownShape.map(shape -> shape.demands().get(operation)).ifPresent(demands::add);
    for (BucketShape shape : shapes) {
      boolean left = ownShape.isPresent() && shape.bucket().scope() == Scope.KEY;
      Demand demand = shape.demands().get(operation);
      if (demand != null && !left) {
        demands.add(demand);
      } else if (demand != null) {
        leftBuckets.add(shape.bucket().name());
      }
    }
    List<Demand> parted = kinds.demands(demands, leftBuckets, plan, operation);
    return new Limited(parted, kinds.others(parted, operation));
  }
}
