package io.weir.core.policy;

import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import java.util.List;

/** Whether limits apply at all. */
public enum Access {
  LIMITED,
  UNLIMITED,
  FROZEN;

  private static final Field<Boolean> UNLIMITED_FLAG =
      Field.flag("unlimited", "whether no limit applies");
  private static final Field<Boolean> FROZEN_FLAG =
      Field.flag("frozen", "whether all requests are refused: 403 `access_disabled`");

  /** The fields of an access. */
  public static final List<Field<?>> FIELDS = List.of(UNLIMITED_FLAG, FROZEN_FLAG);

  /** Reads {@code unlimited} and {@code frozen}; frozen takes precedence over everything that a subject inherits. */
  public static Access read(Section section) {
    boolean unlimited = section.get(UNLIMITED_FLAG);
    boolean frozen = section.get(FROZEN_FLAG);
    if (unlimited && frozen) {
      section.error("access_ambiguous", "both unlimited and frozen (expected: at most one)");
    }
    return frozen ? FROZEN : unlimited ? UNLIMITED : LIMITED;
  }

  /** The stricter of two: frozen before unlimited before limited. */
  public Access or(Access more) {
    return compareTo(more) >= 0 ? this : more;
  }
}
