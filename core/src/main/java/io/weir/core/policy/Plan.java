package io.weir.core.policy;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.kind.KindDemand;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.slot.SlotMode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A compiled set of limits, shared by all subjects that have no override of their own. Immutable.
 */
public final class Plan {

  /** The operation of requests that no rule matches. A bucket may limit it like any other. */
  public static final String UNLISTED = "unlisted";

  private final String name;
  private final Map<String, OperationLimit> limits;
  private final OperationLimit others;
  private final SlotMode slots;
  private final FailureMode failureMode;
  private final Optional<Plan> audited;

  /** A plan beside which no other one is decided. */
  public Plan(
      String name,
      Map<String, OperationLimit> limits,
      OperationLimit others,
      SlotMode slots,
      FailureMode failureMode) {
    this(name, limits, others, slots, failureMode, Optional.empty());
  }

  private Plan(
      String name,
      Map<String, OperationLimit> limits,
      OperationLimit others,
      SlotMode slots,
      FailureMode failureMode,
      Optional<Plan> audited) {
    this.name = name;
    this.limits = new LinkedHashMap<>(limits);
    this.others = others;
    this.slots = slots;
    this.failureMode = failureMode;
    this.audited = audited;
  }

  /** The same plan, beside which another one is decided. */
  public Plan auditing(Plan other) {
    return new Plan(name, limits, this.others, slots, failureMode, Optional.of(other));
  }

  /** The limits that are decided beside this plan, and not enforced; empty if there are none. */
  public Optional<Plan> audited() {
    return audited;
  }

  /** The plan's name in the policy; a subject's overrides do not change it. */
  public String name() {
    return name;
  }

  /** The rules of the plan for places. */
  public SlotMode slots() {
    return slots;
  }

  /** The treatment of its requests during an outage. */
  public FailureMode failureMode() {
    return failureMode;
  }

  /** The limit of an operation, whether or not the policy names it. */
  public OperationLimit limit(String operation) {
    return limits.getOrDefault(operation, others);
  }

  /** The names of the operations that the plan knows. */
  public Set<String> operations() {
    return Collections.unmodifiableSet(limits.keySet());
  }

  /** The buckets of the plan's operations, unordered, with duplicates. */
  public Stream<Bucket> buckets() {
    return Stream.concat(limits.values().stream(), Stream.of(others))
        .filter(Limited.class::isInstance)
        .flatMap(limit -> ((Limited) limit).demands().stream())
        .map(Demand::bucket);
  }

  /** The limits of the plan's operations other than rates, unordered, with duplicates. */
  public Stream<KindDemand> kinds() {
    return Stream.concat(limits.values().stream(), Stream.of(others))
        .filter(Limited.class::isInstance)
        .flatMap(limit -> ((Limited) limit).others().stream());
  }

  /**
   * The name under which an operation is counted: its own if the plan knows it, {@link #UNLISTED} otherwise, so that
   * callers cannot create an unlimited number of names.
   */
  public String tagOf(String operation) {
    return limits.containsKey(operation) ? operation : UNLISTED;
  }

  /** The plan's operation whose name is nearest to a mistyped one, see {@link Nearest}. */
  public Optional<String> nearest(String mistyped) {
    return Nearest.to(mistyped, limits.keySet());
  }
}
