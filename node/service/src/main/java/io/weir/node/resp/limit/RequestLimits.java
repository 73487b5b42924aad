package io.weir.node.resp.limit;

import io.weir.core.bucket.Demand;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.OperationLimit.Frozen;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.PartKey;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectSource;
import io.weir.core.slot.SlotMode;
import io.weir.node.admission.CarriedPlans;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The plans of a policy whose requests may carry a limit. Safe for use by many threads. */
public final class RequestLimits {
  static final PartKey<RequestLimits> PART = new PartKey<>("requestLimits", RequestLimits.class);

  private static final RequestLimits NONE = new RequestLimits(Map.of());

  private final Map<String, LimitBounds> bounds;
  private final CarriedPlans<Carried> plans = new CarriedPlans<>(Carried::compile);

  /** @param bounds by the names of the plans */
  RequestLimits(Map<String, LimitBounds> bounds) {
    this.bounds = Map.copyOf(bounds);
  }

  /** The limits of a policy. */
  public static RequestLimits of(Policy policy) {
    return policy.parts().get(PART).orElse(NONE);
  }

  /** The limit that a request of this subject carries; empty if it carries none. */
  public static Optional<RequestLimit> carried(Subject subject) {
    return subject.source() instanceof WithLimit with
        ? Optional.of(with.limit())
        : Optional.empty();
  }

  /** Whether requests of a plan may carry a limit. */
  public boolean isTakenBy(Plan plan) {
    return bounds.containsKey(plan.name());
  }

  /** Why the plan of a subject does not allow a limit; empty if it does, and of one that is frozen. */
  public Optional<String> refusal(Subject named, RequestLimit limit) {
    if (isFrozen(named)) {
      return Optional.empty();
    }
    String plan = named.plan().name();
    LimitBounds allowed = bounds.get(plan);
    return allowed == null
        ? Optional.of("plan %s takes none (expected: one of requestLimits)".formatted(plan))
        : allowed.refusal(limit);
  }

  /** The subject with a limit in place of those of its plan; one that is frozen stays so. Empty if it is refused. */
  public Optional<Subject> subject(Subject named, RequestLimit limit) {
    if (refusal(named, limit).isPresent()) {
      return Optional.empty();
    }
    Plan plan = named.plan();
    return Optional.of(
        isFrozen(named)
            ? named
            : new Subject(
                named.id(),
                named.tenant(),
                plans.of(new Carried(plan.name(), plan.slots(), plan.failureMode(), limit)),
                Optional.empty(),
                new WithLimit(named.source(), limit)));
  }

  private static boolean isFrozen(Subject named) {
    return named.plan().limit(RequestLimit.OPERATION) instanceof Frozen;
  }

  /** A limit, and what it has of the plan. */
  private record Carried(String plan, SlotMode slots, FailureMode failureMode, RequestLimit limit) {
    Plan compile() {
      Limited limited = new Limited(List.of(Demand.of(limit.bucket())), List.of());
      return new Plan(plan, Map.of(RequestLimit.OPERATION, limited), limited, slots, failureMode);
    }
  }

  /** A subject with the limit of a request, if a later policy allows it. */
  private record WithLimit(SubjectSource named, RequestLimit limit) implements SubjectSource {
    @Override
    public Optional<Subject> in(Policy policy) {
      return named.in(policy).flatMap(subject -> of(policy).subject(subject, limit));
    }
  }
}
