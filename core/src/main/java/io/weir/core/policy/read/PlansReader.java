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
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Reads plans, or makes the one plan of a document that only lists buckets. */
record PlansReader(PolicySettings settings, DefinedLimits limits, OverrideReader overrides) {
  private static final String IMPLICIT_PLAN = "default";
  private static final Map<String, BucketSet> SETS =
      Words.of("ordinary", BucketSet.ORDINARY, "highVolume", BucketSet.HIGH_VOLUME);

  /** The set of buckets of plans that name none. */
  static final Field<BucketSet> BUCKET_SET = Field.choice(
      "bucketSet",
      SETS,
      "the set of buckets for plans without a list; set for the policy (default: `ordinary`) or one plan");

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

  Map<String, DefinedPlan> read(Section root) {
    if (!root.has("plans")) {
      return Map.of(IMPLICIT_PLAN, implicit(root));
    }
    Map<String, DefinedPlan> plans = new LinkedHashMap<>();
    root.get(PLANS).forEach((name, section) -> plans.put(name, plan(name, section)));
    return plans;
  }

  private DefinedPlan implicit(Section root) {
    List<DefinedBucket> all = limits.of(settings.set());
    PlanDraft draft =
        PlanDraft.of(shapesOf(all), kindsOf(all, limits.kinds().values(), Optional.empty()));
    PlanTerms terms = new PlanTerms(
        IMPLICIT_PLAN,
        draft,
        Access.LIMITED,
        SlotMode.RESERVE,
        settings.failureMode(),
        LimitMode.ENFORCE);
    return new DefinedPlan(root, settings.set(), terms, true);
  }

  private DefinedPlan plan(String name, Section section) {
    BucketSet set = section.find(BUCKET_SET).orElse(settings.set());
    Access access = Access.read(section);
    List<DefinedBucket> chosen = section.has("buckets") ? chosen(section, set) : limits.of(set);
    SlotMode slots = section.get(SLOTS);
    FailureMode failureMode = section.find(FailureMode.FIELD).orElse(settings.failureMode());
    PlanKinds kinds = kindsOf(chosen, chosenKinds(section), section.find(SHED_AT));
    PlanDraft draft = overrides.applyAll(section, PlanDraft.of(shapesOf(chosen), kinds), Scope.KEY);
    LimitMode mode = section.get(LimitMode.FIELD);
    PlanTerms terms = new PlanTerms(name, draft, access, slots, failureMode, mode);
    return new DefinedPlan(section, set, terms, false);
  }

  private List<DefinedBucket> chosen(Section section, BucketSet set) {
    Set<DefinedBucket> chosen = new LinkedHashSet<>();
    for (Section.Item item : section.get(BUCKETS)) {
      DefinedBucket bucket = limits.buckets().get(item.text());
      if (bucket == null) {
        requireNamed(section, item, "bucket_unknown", "bucket '%s' is not defined");
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

  // A limit with errors has these already.
  private void requireNamed(Section section, Section.Item item, String code, String message) {
    if (!limits.broken().contains(item.text())) {
      section.errorAt(code, item, message.formatted(item.text()));
    }
  }

  // A plan that names no limits has all of them.
  private List<KindLimit> chosenKinds(Section section) {
    if (!section.has("limits")) {
      return List.copyOf(limits.kinds().values());
    }
    Set<KindLimit> chosen = new LinkedHashSet<>();
    for (Section.Item item : section.get(LIMITS)) {
      KindLimit limit = limits.kinds().get(item.text());
      if (limit == null) {
        requireNamed(section, item, "limit_unknown", "no quota or permits '%s'");
      } else {
        chosen.add(limit);
      }
    }
    return new ArrayList<>(chosen);
  }

  private static PlanKinds kindsOf(
      List<DefinedBucket> buckets, Collection<KindLimit> limits, Optional<Long> shedAt) {
    Map<String, BucketOptions> options = new LinkedHashMap<>();
    buckets.forEach(bucket -> options.put(bucket.name(), bucket.options()));
    return new PlanKinds(
        options, List.copyOf(limits), shedAt.map(OptionalLong::of).orElseGet(OptionalLong::empty));
  }

  // In thousandths.
  private static Optional<Long> multiplier(String text) {
    return text.matches("[1-9]\\d{0,5}x")
        ? Optional.of(Congestion.ONE * Long.parseLong(text.substring(0, text.length() - 1)))
        : Optional.empty();
  }

  private static List<BucketShape> shapesOf(List<DefinedBucket> buckets) {
    return buckets.stream().map(DefinedBucket::shape).toList();
  }

  /** The word for a set in a policy. */
  static String wordOf(BucketSet set) {
    return set == BucketSet.ORDINARY ? "ordinary" : "highVolume";
  }

  /**
   * A plan of the policy.
   *
   * @param section its place in the document; the whole document for the implicit plan
   * @param isImplicit whether the document names no plans
   */
  record DefinedPlan(Section section, BucketSet set, PlanTerms terms, boolean isImplicit) {
    String name() {
      return terms.name();
    }

    PlanDraft draft() {
      return terms.draft();
    }

    Access access() {
      return terms.access();
    }
  }
}
