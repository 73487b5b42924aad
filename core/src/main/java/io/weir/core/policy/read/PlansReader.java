package io.weir.core.policy.read;

import io.weir.core.bucket.Scope;
import io.weir.core.kind.Congestion;
import io.weir.core.policy.Access;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.read.BucketsReader.BucketSet;
import io.weir.core.policy.read.BucketsReader.DefinedBucket;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import io.weir.core.policy.schema.Words;
import io.weir.core.slot.SlotMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Reads plans, or makes the one plan of a document that only lists buckets. */
final class PlansReader {
  private static final String IMPLICIT_PLAN = "default";
  private static final int MAX_LIMITS_OF_OPERATION = 32;
  private static final Map<String, BucketSet> SETS =
      Words.of("ordinary", BucketSet.ORDINARY, "highVolume", BucketSet.HIGH_VOLUME);

  /** The set of buckets of plans that name none. */
  static final Field<BucketSet> BUCKET_SET = Field.choice(
      "bucketSet",
      SETS,
      "the set of buckets for plans without a list; of the policy (default: `ordinary`) or of one plan");

  private static final Field<List<Section.Item>> BUCKETS =
      Field.names("buckets", "its buckets; default: all of its set");
  private static final Field<List<Section.Item>> LIMITS =
      Field.names("limits", "its quotas and permits; default: all");
  private static final Field<Long> SHED_AT = Field.parsed(
      "shedAt",
      PlansReader::multiplier,
      "[1-9]\\d{0,5}x",
      "a multiplier such as 10x, up to 999999x",
      "multiplier of a [congested](#shares-and-congestion) bucket from which its requests are denied");
  private static final Field<SlotMode> SLOTS = Field.choice(
          "slots",
          Words.of("reserve", SlotMode.RESERVE, "estimate", SlotMode.ESTIMATE, "off", SlotMode.OFF),
          "what denied callers get: a slot of their own, an estimate, or the time at which the next request fits")
      .or(SlotMode.RESERVE);
  private static final Table PLAN = Table.of("plan", BUCKET_SET, BUCKETS, LIMITS, SHED_AT)
      .with(Access.FIELDS)
      .with(List.of(SLOTS, LimitMode.FIELD))
      .with(List.of(FailureMode.FIELD, OverrideReader.OVERRIDES));
  static final Field<Map<String, Section>> PLANS =
      Field.byName("plans", PLAN, "what keys may do; default: one, `default`, of all buckets");

  private final List<DefinedBucket> buckets;
  private final List<KindLimit> kinds;
  private final OverrideReader overrides;

  /** @param kinds quotas and permits */
  PlansReader(List<DefinedBucket> buckets, List<KindLimit> kinds, OverrideReader overrides) {
    this.buckets = buckets;
    this.kinds = kinds;
    this.overrides = overrides;
  }

  Map<String, DefinedPlan> read(Section root) {
    BucketSet set = root.find(BUCKET_SET).orElse(BucketSet.ORDINARY);
    FailureMode mode = root.find(FailureMode.FIELD).orElse(FailureMode.LOCAL);
    Map<String, DefinedPlan> plans = new LinkedHashMap<>();
    if (root.has("plans")) {
      root.get(PLANS).forEach((name, section) -> plans.put(name, plan(name, section, set, mode)));
    } else {
      plans.put(IMPLICIT_PLAN, implicit(root, set, mode));
    }
    findUnused(plans);
    plans.values().forEach(PlansReader::findLongDecisions);
    return plans;
  }

  // Redis serves nobody else while it decides on all limits of a request.
  private static void findLongDecisions(DefinedPlan plan) {
    for (String operation : plan.draft().operations()) {
      long limits = plan.draft().limitsOf(operation);
      if (limits > MAX_LIMITS_OF_OPERATION) {
        plan.section()
            .error(
                "too_many_limits",
                "%s has %d buckets, quotas and permits in the plan %s (expected: at most %d)"
                    .formatted(operation, limits, plan.name(), MAX_LIMITS_OF_OPERATION));
      }
    }
  }

  private DefinedPlan implicit(Section root, BucketSet set, FailureMode mode) {
    return new DefinedPlan(
        IMPLICIT_PLAN,
        root,
        set,
        PlanDraft.of(shapesOf(bucketsOf(set)), kindsOf(bucketsOf(set), kinds, Optional.empty())),
        Access.LIMITED,
        SlotMode.RESERVE,
        mode,
        LimitMode.ENFORCE,
        true);
  }

  private DefinedPlan plan(
      String name, Section section, BucketSet defaultSet, FailureMode defaultMode) {
    BucketSet set = section.find(BUCKET_SET).orElse(defaultSet);
    Access access = Access.read(section);
    List<DefinedBucket> chosen = section.has("buckets") ? chosen(section, set) : bucketsOf(set);
    SlotMode slots = section.get(SLOTS);
    FailureMode mode = section.find(FailureMode.FIELD).orElse(defaultMode);
    List<KindLimit> limits = limits(section);
    PlanKinds planKinds = kindsOf(chosen, limits, section.find(SHED_AT));
    findWrongOverflows(section, chosen);
    PlanDraft draft =
        overrides.applyAll(section, PlanDraft.of(shapesOf(chosen), planKinds), Scope.KEY);
    LimitMode limitMode = section.get(LimitMode.FIELD);
    return new DefinedPlan(name, section, set, draft, access, slots, mode, limitMode, false);
  }

  private List<DefinedBucket> chosen(Section section, BucketSet set) {
    Map<String, DefinedBucket> byName = new LinkedHashMap<>();
    buckets.forEach(bucket -> byName.put(bucket.name(), bucket));
    Set<DefinedBucket> chosen = new LinkedHashSet<>();
    for (Section.Item item : section.get(BUCKETS)) {
      DefinedBucket bucket = byName.get(item.text());
      if (bucket == null) {
        section.errorAt(
            "bucket_unknown", item, "no sound bucket '%s' in the policy".formatted(item.text()));
      } else if (bucket.set() != set) {
        section.errorAt(
            "bucket_of_other_set",
            item,
            "%s is of the other set (expected: bucketSet of the plan names it)"
                .formatted(item.text()));
      } else if (!chosen.add(bucket)) {
        section.errorAt("bucket_repeated", item, item.text() + " is in this plan already");
      }
    }
    return new ArrayList<>(chosen);
  }

  // A plan that names no limits has all of them.
  private List<KindLimit> limits(Section section) {
    if (!section.has("limits")) {
      return kinds;
    }
    Map<String, KindLimit> byName = new LinkedHashMap<>();
    kinds.forEach(limit -> byName.put(limit.name(), limit));
    Set<KindLimit> chosen = new LinkedHashSet<>();
    for (Section.Item item : section.get(LIMITS)) {
      KindLimit limit = byName.get(item.text());
      if (limit == null) {
        section.errorAt(
            "limit_unknown", item, "no sound quota or permits '%s'".formatted(item.text()));
      } else {
        chosen.add(limit);
      }
    }
    chosen.forEach(limit -> limit
        .overflow()
        .filter(target -> chosen.stream().noneMatch(other -> other.name().equals(target)))
        .ifPresent(target -> section.error(
            "overflow_unknown",
            "limits",
            "%s overflows to '%s' (expected: that in the plan, too)"
                .formatted(limit.name(), target))));
    return new ArrayList<>(chosen);
  }

  /** Reports each reserved share whose plans or operations do not exist. */
  void findUnknownKept(Set<String> plans, Set<String> operations) {
    for (DefinedBucket bucket : buckets) {
      bucket.options().kept().ifPresent(kept -> {
        Set<String> unknown = new TreeSet<>(kept.plans());
        unknown.removeAll(plans);
        Set<String> unknownOperations = new TreeSet<>(kept.operations());
        unknownOperations.removeAll(operations);
        unknown.addAll(unknownOperations);
        if (!unknown.isEmpty()) {
          bucket
              .section()
              .error("share_for_nobody", "keepFor", "no plans or operations " + unknown);
        }
      });
    }
  }

  private static PlanKinds kindsOf(
      List<DefinedBucket> buckets, List<KindLimit> limits, Optional<Long> shedAt) {
    Map<String, BucketOptions> options = new LinkedHashMap<>();
    buckets.forEach(bucket -> options.put(bucket.name(), bucket.options()));
    return new PlanKinds(
        options, limits, shedAt.map(OptionalLong::of).orElseGet(OptionalLong::empty));
  }

  // In thousandths.
  private static Optional<Long> multiplier(String text) {
    return text.matches("[1-9]\\d{0,5}x")
        ? Optional.of(Congestion.ONE * Long.parseLong(text.substring(0, text.length() - 1)))
        : Optional.empty();
  }

  private static void findWrongOverflows(Section section, List<DefinedBucket> chosen) {
    Map<String, DefinedBucket> byName = new LinkedHashMap<>();
    chosen.forEach(bucket -> byName.put(bucket.name(), bucket));
    Set<String> targets = new HashSet<>();
    for (DefinedBucket bucket : chosen) {
      bucket.options().overflow().ifPresent(target -> {
        DefinedBucket other = byName.get(target);
        boolean isSound = other != null
            && !other.name().equals(bucket.name())
            && other.options().overflow().isEmpty()
            && other.options().kept().isEmpty()
            && !other.shape().bucket().leased()
            && targets.add(target)
            && other
                .shape()
                .demands()
                .keySet()
                .containsAll(bucket.shape().demands().keySet());
        if (!isSound) {
          section.error(
              "overflow_unknown",
              ("%s overflows to '%s' (expected: another bucket of the plan, of one bucket alone, with all of its"
                      + " operations and no overflow, keepFor or leases of its own)")
                  .formatted(bucket.name(), target));
        }
      });
    }
  }

  private List<DefinedBucket> bucketsOf(BucketSet set) {
    return buckets.stream().filter(bucket -> bucket.set() == set).toList();
  }

  private static List<BucketShape> shapesOf(List<DefinedBucket> buckets) {
    return buckets.stream().map(DefinedBucket::shape).toList();
  }

  private void findUnused(Map<String, DefinedPlan> plans) {
    Set<BucketSet> sets = plans.values().stream().map(DefinedPlan::set).collect(Collectors.toSet());
    Set<String> drawn = plans.values().stream()
        .filter(plan -> plan.access() != Access.UNLIMITED)
        .flatMap(plan -> plan.draft().shapes().stream())
        .map(shape -> shape.bucket().name())
        .collect(Collectors.toSet());
    for (DefinedBucket bucket : buckets) {
      if (drawn.contains(bucket.name())) {
        continue;
      }
      if (sets.contains(bucket.set())) {
        bucket
            .section()
            .error("bucket_unused", "name", "%s is in no plan".formatted(bucket.name()));
      } else {
        String message = "%s is left out: no plan has the bucketSet %s";
        bucket
            .section()
            .warning(
                "bucket_set_not_loaded",
                "name",
                message.formatted(bucket.name(), wordOf(bucket.set())));
      }
    }
  }

  private static String wordOf(BucketSet set) {
    return set == BucketSet.ORDINARY ? "ordinary" : "highVolume";
  }

  /**
   * A plan of the policy.
   *
   * @param section its place in the document; the whole document for the implicit plan
   * @param implicit whether the document names no plans
   */
  record DefinedPlan(
      String name,
      Section section,
      BucketSet set,
      PlanDraft draft,
      Access access,
      SlotMode slots,
      FailureMode failureMode,
      LimitMode mode,
      boolean implicit) {}
}
