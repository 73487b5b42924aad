package io.weir.core.policy.read;

import io.weir.core.bucket.Scope;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.read.BucketsReader.BucketSet;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Words;
import java.util.List;

/**
 * The settings that a policy has once.
 *
 * @param bursts the treatment of bursts that are too short
 * @param allowsUnlisted whether operations that no limit of a plan concerns are allowed
 * @param scope of the limits that name none
 * @param set the set of buckets of plans that name none
 * @param failureMode of the plans that name none
 */
record PolicySettings(
    BurstRule bursts, boolean allowsUnlisted, Scope scope, BucketSet set, FailureMode failureMode) {
  private static final Field<Boolean> EXTEND_BURSTS = Field.flag(
      "extendBursts",
      "whether a burst that is too small becomes the smallest one that works, with a warning");
  private static final Field<Boolean> UNLISTED = Field.choice(
          "unlistedOperations",
          Words.of("deny", false, "allow", true),
          "whether operations that no bucket of the plan limits pass")
      .or(false);

  /** Their fields, of which plans may have some, too. */
  static final List<Field<?>> FIELDS = List.of(
      SubjectsReader.DEFAULTS_FIELD,
      UNLISTED,
      PlansReader.BUCKET_SET,
      FailureMode.FIELD,
      EXTEND_BURSTS);

  static PolicySettings read(Section root) {
    return new PolicySettings(
        root.get(EXTEND_BURSTS) ? BurstRule.EXTEND : BurstRule.REFUSE,
        root.get(UNLISTED),
        root.find(SubjectsReader.DEFAULTS_FIELD)
            .map(defaults -> defaults.get(Scopes.DEFAULT))
            .orElse(Scope.KEY),
        root.find(PlansReader.BUCKET_SET).orElse(BucketSet.ORDINARY),
        root.find(FailureMode.FIELD).orElse(FailureMode.LOCAL));
  }
}
