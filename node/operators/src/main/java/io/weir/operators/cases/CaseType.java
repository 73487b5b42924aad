package io.weir.operators.cases;

import java.util.Locale;

/** The outcome for the requests of a case. */
public enum CaseType {
  /** They are denied, or refused because nothing was decided. */
  DENIED,
  /** They are admitted, and leave the limit at least four fifths full. */
  NEAR,
  /** They are admitted, and leave a quota that only warns at least four fifths full, or above its size. */
  WARNED,
  /** They pass, and a limit that is only rehearsed would deny them. */
  WOULD_DENY;

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
