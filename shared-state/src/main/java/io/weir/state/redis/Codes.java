package io.weir.state.redis;

import io.weir.decision.Verdict.Outcome;

/** What a script answers first. {@code lua/lib/codes.lua} has the same. */
enum Codes {
  ALLOWED,
  DENIED,
  NEVER_ALLOWED,
  STALE,
  FAILED,
  QUEUED;

  static Codes of(long code) {
    return values()[Math.toIntExact(code)];
  }

  Outcome outcome() {
    return switch (this) {
      case ALLOWED -> Outcome.ALLOWED;
      case DENIED -> Outcome.DENIED;
      case NEVER_ALLOWED -> Outcome.NEVER_ALLOWED;
      case STALE, FAILED, QUEUED -> throw new IllegalStateException(this + " decides nothing");
    };
  }
}
