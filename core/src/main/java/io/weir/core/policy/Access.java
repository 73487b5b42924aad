package io.weir.core.policy;

/** Whether limits apply at all. */
enum Access {
  LIMITED,
  UNLIMITED,
  FROZEN;

  /** Reads {@code unlimited} and {@code frozen}; frozen takes precedence over everything that a subject inherits. */
  static Access read(Section section) {
    boolean unlimited = section.flag("unlimited");
    boolean frozen = section.flag("frozen");
    if (unlimited && frozen) {
      section.error("access_ambiguous", "both unlimited and frozen (expected: at most one)");
    }
    return frozen ? FROZEN : unlimited ? UNLIMITED : LIMITED;
  }

  Access or(Access more) {
    return compareTo(more) >= 0 ? this : more;
  }
}
