package io.weir.core.policy.read;

import io.weir.core.bucket.Scope;
import io.weir.core.policy.read.BucketShape.Group;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reads overrides and applies them to drafts of plans. */
final class OverrideReader {
  private static final long DEFAULT_BURST_MILLIS = 1000;

  private static final Field<String> LIMITS = Field.name("limits", "a quota, or permits");
  private static final Table OF_KIND =
      Table.of("overrideOfLimits", LIMITS, KindsReader.QUOTA_LIMIT);
  private static final Field<String> BUCKET =
      Field.name("bucket", "a bucket: of scope `tenant` for a tenant, else of scope `key`");
  private static final Field<String> OPERATION = Field.name(
      "operation",
      "an operation: it leaves the key's shared buckets for a bucket of its own, and stays in those of tenant and"
          + " cluster");
  private static final Table OVERRIDE = Table.of("override", LIMITS, BUCKET, OPERATION)
      .with(GivenRate.FIELDS)
      .with(ShapeReader.FIELDS)
      .unlessHas(LIMITS, OF_KIND);

  /** The overrides of a plan, a tenant or a subject. */
  static final Field<List<Section>> OVERRIDES = Field.sections(
      "overrides",
      OVERRIDE,
      "other limits; the more specific one takes precedence, and a rate of 0 freezes");

  private final ShapeReader shapes;
  private final ShapeReader extending = new ShapeReader(BurstRule.EXTEND);
  private final Set<String> knownOperations;
  private final Set<String> tenantBuckets;

  OverrideReader(BurstRule bursts, Set<String> knownOperations, Set<String> tenantBuckets) {
    shapes = new ShapeReader(bursts);
    this.knownOperations = knownOperations;
    this.tenantBuckets = tenantBuckets;
  }

  /** Reads {@code overrides} and applies each; an override that can never apply is a problem. */
  PlanDraft applyAll(Section parent, PlanDraft draft, Scope scope) {
    Set<String> seen = new HashSet<>();
    PlanDraft current = draft;
    for (Section section : parent.get(OVERRIDES)) {
      Optional<PlanDraft> ofKind = applyToKind(section, seen, current, scope);
      if (ofKind.isPresent()) {
        current = ofKind.get();
        continue;
      }
      Optional<LimitOverride> override = read(section, seen);
      if (override.isPresent()) {
        current = apply(override.get(), current, scope);
      }
    }
    return current;
  }

  /** Applies an override of a quota or of permits; empty if it concerns something else. */
  private Optional<PlanDraft> applyToKind(
      Section section, Set<String> seen, PlanDraft draft, Scope scope) {
    if (section.isAbsent("limits")) {
      return Optional.empty();
    }
    Optional<String> name = section.find(LIMITS);
    Optional<Long> limit = section.find(KindsReader.QUOTA_LIMIT);
    if (name.isEmpty()) {
      return Optional.of(draft);
    }
    if (!seen.add("limit " + name.get())) {
      section.error("override_repeated", name.get() + " has an override already");
      return Optional.of(draft);
    }
    Optional<KindLimit> found =
        draft.kinds().limit(name.get()).filter(known -> known.demand().scope() == scope);
    if (found.isEmpty()) {
      section.error(
          "override_unmatched",
          "limits",
          "no quota or permits '%s' of scope %s in the plan"
              .formatted(name.get(), Scopes.wordOf(scope)));
    }
    return Optional.of(
        found.isEmpty() || limit.isEmpty()
            ? draft
            : draft.withKinds(draft.kinds().with(found.get().withLimit(limit.get()))));
  }

  private Optional<LimitOverride> read(Section section, Set<String> seen) {
    Optional<String> bucket = section.find(BUCKET);
    Optional<String> operation = section.find(OPERATION);
    Optional<GivenRate> rate = GivenRate.read(section);
    Optional<Long> burst = shapes.burstMillis(section);
    Optional<List<Group>> groups =
        section.has("throttleGroups") ? shapes.groups(section) : Optional.empty();
    if (bucket.isPresent() == operation.isPresent()) {
      section.error(
          "override_ambiguous", "names both or neither (expected: a bucket or an operation)");
      return Optional.empty();
    }
    String target = bucket.map(name -> "bucket " + name).or(() -> operation).orElseThrow();
    if (!seen.add(target)) {
      section.error("override_repeated", target + " has an override already");
      return Optional.empty();
    }
    return Optional.of(new LimitOverride(section, bucket, operation, rate, burst, groups));
  }

  private PlanDraft apply(LimitOverride override, PlanDraft draft, Scope scope) {
    return override
        .bucket()
        .map(bucket -> applyToBucket(override, bucket, draft, scope))
        .orElseGet(() -> applyToOperation(override, draft, scope));
  }

  private PlanDraft applyToBucket(
      LimitOverride override, String bucket, PlanDraft draft, Scope scope) {
    Optional<BucketShape> shape = draft.shape(bucket).filter(s -> s.bucket().scope() == scope);
    if (shape.isEmpty() && scope == Scope.TENANT && tenantBuckets.contains(bucket)) {
      return draft; // another plan of the tenant demands from it
    }
    if (shape.isEmpty()) {
      String message = "no bucket '%s' of scope %s in the plan (expected: one that is there)";
      override
          .section()
          .error("override_unmatched", "bucket", message.formatted(bucket, Scopes.wordOf(scope)));
      return draft;
    }
    if (override.freezes() && draft.kinds().of(bucket).mode() == LimitMode.AUDIT) {
      override
          .section()
          .error(
              "audit_frozen",
              "a rate of 0 freezes, and a bucket with mode audit denies nothing (expected: a rate)");
      return draft;
    }
    if (override.freezes()) {
      return draft.withFrozenBucket(shape.get());
    }
    return groupsFor(override, shape.get())
        .flatMap(groups -> reshaped(override, shape.get(), groups))
        .filter(reshaped -> isHeldByParts(override, draft, reshaped))
        .map(draft::withShape)
        .orElse(draft);
  }

  private static boolean isHeldByParts(LimitOverride override, PlanDraft draft, BucketShape shape) {
    boolean isHeld = draft.kinds().of(shape.bucket().name()).holds(shape);
    if (!isHeld) {
      override
          .section()
          .error(
              "share_too_small",
              "a part of the bucket, which has keepFor, holds not one operation (expected: more)");
    }
    return isHeld;
  }

  private Optional<BucketShape> reshaped(
      LimitOverride override, BucketShape shape, List<Group> groups) {
    long burst = override.burstMillis().orElse(shape.bucket().burstMillis());
    return shapes
        .shape(override.section(), shape.bucket().name(), shape.bucket().scope(), burst, groups)
        .map(other -> other.withLeases(shape.bucket().leased()));
  }

  private static Optional<List<Group>> groupsFor(LimitOverride override, BucketShape shape) {
    if (override.groups().isPresent()) {
      return sameOperations(override, shape, override.groups().get());
    }
    if (override.rate().isEmpty()) {
      if (override.burstMillis().isEmpty()) {
        override
            .section()
            .error("override_ambiguous", "changes nothing (expected: a rate, groups or a burst)");
      }
      return Optional.of(shape.groups());
    }
    if (shape.groups().size() > 1) {
      override
          .section()
          .error(
              "override_ambiguous",
              "one rate for a bucket of %d groups (expected: throttleGroups)"
                  .formatted(shape.groups().size()));
      return Optional.empty();
    }
    Group only = shape.groups().get(0);
    return Optional.of(List.of(Group.of(override.rate().get(), only.operations())));
  }

  // Other operations would have no limit, or a hidden one.
  private static Optional<List<Group>> sameOperations(
      LimitOverride override, BucketShape shape, List<Group> groups) {
    Set<String> given = new TreeSet<>();
    groups.forEach(group -> given.addAll(group.operations()));
    if (override.rate().isPresent()) {
      override
          .section()
          .error("override_ambiguous", "both a rate and throttleGroups (expected: one of them)");
    }
    if (given.equals(shape.demands().keySet())) {
      return Optional.of(groups);
    }
    override
        .section()
        .error(
            "override_unmatched",
            "throttleGroups",
            "the operations %s (expected: those of the bucket, %s)"
                .formatted(given, shape.demands().keySet()));
    return Optional.empty();
  }

  private PlanDraft applyToOperation(LimitOverride override, PlanDraft draft, Scope scope) {
    String operation = override.operation().orElseThrow();
    Section section = override.section();
    if (scope != Scope.KEY) {
      section.error(
          "override_ambiguous", "operation", "of a tenant (expected: a bucket of scope tenant)");
      return draft;
    }
    if (!knownOperations.contains(operation)) {
      section.error(
          "override_unmatched",
          "operation",
          "'%s' is no operation of the policy".formatted(operation));
      return draft;
    }
    if (override.freezes()) {
      return draft.withFrozen(operation);
    }
    if (override.rate().isEmpty() || override.groups().isPresent()) {
      section.error("override_ambiguous", "no rate (expected: opsPerSec, milliOpsPerSec or rate)");
      return draft;
    }
    List<Group> groups = List.of(Group.of(override.rate().get(), List.of(operation)));
    // Without a burst, the default is one second, or as long as one operation needs.
    ShapeReader reader = override.burstMillis().isPresent() ? shapes : extending;
    long burst = override.burstMillis().orElse(DEFAULT_BURST_MILLIS);
    return reader
        .shape(section, "op:" + operation, Scope.KEY, burst, groups)
        .map(shape -> draft.withOwn(operation, shape))
        .orElse(draft);
  }
}
