package io.weir.state.wire;

import io.weir.core.decision.Verdict.Outcome;

/** The first number of a script's answer. {@code lua/lib/codes.lua} has the same. */
public enum Codes {
  ALLOWED,
  DENIED,
  NEVER_ALLOWED,
  STALE,
  FAILED,
  OUTSIDE,
  AGAIN,
  ENDED,
  REUSED,
  LATER;

  public static Codes of(long code) {
    return values()[Math.toIntExact(code)];
  }

  public Outcome outcome() {
    return switch (this) {
      case ALLOWED -> Outcome.ALLOWED;
      case DENIED -> Outcome.DENIED;
      case NEVER_ALLOWED -> Outcome.NEVER_ALLOWED;
      case STALE, FAILED, OUTSIDE, AGAIN, ENDED, REUSED, LATER ->
        throw new IllegalStateException(this + " decides nothing");
    };
  }
}
