package io.weir.core.policy.read;

import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Words;

/** Whether limits are enforced. */
enum LimitMode {
  /** They deny. */
  ENFORCE,
  /** They are decided beside the enforced ones, and only reported. */
  AUDIT;

  /** The field of buckets and plans. */
  static final Field<LimitMode> FIELD = Field.choice(
          "mode",
          Words.of("enforce", ENFORCE, "audit", AUDIT),
          "`enforce`, or `audit`: it denies nothing, and its would-be denials are [reported](../how-to/see-and-steer.md#what-if)")
      .or(ENFORCE);
}
