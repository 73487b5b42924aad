package io.weir.state.redis;

import io.weir.decision.Verdict.Outcome;

/** What a script answers first. The same codes stand in {@code lua/lib/status.lua}. */
enum Status {
  ALLOWED,
  DENIED,
  NEVER_ALLOWED,
  STALE,
  FAILED;

  static Status of(long code) {
    return values()[Math.toIntExact(code)];
  }

  Outcome outcome() {
    return switch (this) {
      case ALLOWED -> Outcome.ALLOWED;
      case DENIED -> Outcome.DENIED;
      case NEVER_ALLOWED -> Outcome.NEVER_ALLOWED;
      case STALE, FAILED -> throw new IllegalStateException(this + " decides nothing");
    };
  }
}
