package io.weir.core.policy.read;

import io.weir.core.kind.Quota;
import io.weir.core.policy.read.BucketsReader.DefinedBucket;
import io.weir.core.policy.read.PlansReader.DefinedPlan;
import io.weir.core.policy.read.PolicyCheck.Finding;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules about limits that overflow to others. */
final class OverflowChecks {
  private OverflowChecks() {}

  /** Quotas whose overflow is no other quota, overflows itself, or is shared. */
  static Stream<Finding> ofQuotas(PolicyDraft draft) {
    Map<String, KindLimit> kinds = draft.limits().kinds();
    Set<String> targets = new HashSet<>();
    return kinds.values().stream()
        .flatMap(limit -> limit.overflow().stream()
            .filter(target -> !overflows(limit, kinds.get(target)) || !targets.add(target))
            .map(target -> new Finding(
                limit.section(),
                "overflow",
                "'%s' (expected: another quota, of one quota alone, without an overflow of its own)"
                    .formatted(target))));
  }

  private static boolean overflows(KindLimit limit, @Nullable KindLimit target) {
    return target != null
        && !target.name().equals(limit.name())
        && target.demand() instanceof Quota
        && target.overflow().isEmpty();
  }

  /** Quotas whose overflow is missing in a plan that lists its limits. */
  static Stream<Finding> outsideOfPlans(PolicyDraft draft) {
    return draft.plans().values().stream()
        .filter(plan -> !plan.isImplicit() && plan.section().has("limits"))
        .flatMap(plan -> plan.draft().kinds().limits().stream()
            .flatMap(limit -> limit.overflow().stream()
                .filter(target -> plan.draft().kinds().limit(target).isEmpty())
                .map(target -> new Finding(
                    plan.section(),
                    "limits",
                    "%s overflows to '%s' (expected: that in the plan, too)"
                        .formatted(limit.name(), target)))));
  }

  /** Buckets whose overflow is not in the plan, or cannot take their operations. */
  static Stream<Finding> ofBuckets(PolicyDraft draft) {
    return draft.plans().values().stream().flatMap(plan -> ofBuckets(plan, draft));
  }

  private static Stream<Finding> ofBuckets(DefinedPlan plan, PolicyDraft draft) {
    Set<String> drawn = plan.draft().buckets();
    Map<String, DefinedBucket> buckets = new LinkedHashMap<>(draft.limits().buckets());
    buckets.keySet().retainAll(drawn);
    Set<String> targets = new HashSet<>();
    return buckets.values().stream()
        .flatMap(bucket -> bucket.options().overflow().stream()
            .filter(target -> !overflows(bucket, buckets.get(target)) || !targets.add(target))
            .map(target -> wrong(plan, bucket, target)));
  }

  private static Finding wrong(DefinedPlan plan, DefinedBucket bucket, String target) {
    String message =
        ("%s overflows to '%s' (expected: another bucket of the plan, of one bucket alone, with all of its"
                + " operations and no overflow, keepFor or leases of its own)")
            .formatted(bucket.name(), target);
    return plan.isImplicit()
        ? new Finding(bucket.section(), "overflow", message)
        : new Finding(plan.section(), message);
  }

  private static boolean overflows(DefinedBucket bucket, @Nullable DefinedBucket target) {
    return target != null
        && !target.name().equals(bucket.name())
        && target.options().overflow().isEmpty()
        && target.options().kept().isEmpty()
        && !target.shape().bucket().leased()
        && target
            .shape()
            .demands()
            .keySet()
            .containsAll(bucket.shape().demands().keySet());
  }
}
