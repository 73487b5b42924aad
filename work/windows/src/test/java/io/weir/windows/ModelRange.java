package io.weir.windows;

import io.weir.windows.WindowAnswer.Range;
import java.util.Locale;

/** A range of a {@link ModelWindow}. Mutable; owned by its window. */
final class ModelRange {
  static final String NOBODY = "*";

  /** How far the work on a range is. */
  enum State {
    TODO,
    CLAIMED,
    /** For another attempt. */
    WAITING,
    DONE,
    FAILED,
    SKIPPED
  }

  final long from;
  final long to;
  State state = State.TODO;
  int attempts;
  String claim = NOBODY;
  String note = "";
  /** The end of the lease or of the wait. */
  long untilMicros;

  ModelRange(long from, long to) {
    this.from = from;
    this.to = to;
  }

  boolean isBusy() {
    return state == State.CLAIMED || state == State.WAITING;
  }

  boolean isOver() {
    return state == State.DONE || state == State.SKIPPED;
  }

  boolean isHeldBy(String id) {
    return state == State.CLAIMED && claim.equals(id);
  }

  void moveUntil(State to, long untilMicros) {
    state = to;
    this.untilMicros = untilMicros;
  }

  /** Ends a failed attempt: the range is tried again after a wait, or has failed permanently. */
  void endAttempt(int attemptsAtMost, long waitMicros, long now) {
    if (attempts >= attemptsAtMost) {
      state = State.FAILED;
    } else if (waitMicros > 0) {
      moveUntil(State.WAITING, now + waitMicros);
    } else {
      state = State.TODO;
    }
  }

  Range shown() {
    return new Range(from, to, word(), attempts, note);
  }

  String word() {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
