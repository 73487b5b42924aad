package io.weir.cluster.local;

import io.weir.cluster.local.KeyClient.Answer;
import java.util.function.DoubleSupplier;

/** The waiting strategy of a rejected caller. */
public enum Patience {
  /** It returns at the slot of its place. */
  SLOTS("slots", true) {
    @Override
    long millis(Answer answer, int attempts, DoubleSupplier random) {
      return answer.retryAfterMillis();
    }
  },
  /** It waits until the next request fits, in whole seconds, like every other caller. */
  NEXT_TOKEN("next token", false) {
    @Override
    long millis(Answer answer, int attempts, DoubleSupplier random) {
      return answer.retryAfterSeconds() * 1000;
    }
  },
  /** It ignores the given wait: 50 ms, growing by half each time, ± 20 %, at most 30 s. */
  BACKOFF("exponential backoff", false) {
    @Override
    long millis(Answer answer, int attempts, DoubleSupplier random) {
      double wait = Math.min(30_000, 50 * Math.pow(1.5, attempts - 1.0));
      return Math.min(30_000, Math.round(wait * (0.8 + 0.4 * random.getAsDouble())));
    }
  };

  private static final long WITHOUT_DECISION_MILLIS = 100;

  private final String text;
  private final boolean usesTickets;

  Patience(String text, boolean usesTickets) {
    this.text = text;
    this.usesTickets = usesTickets;
  }

  /** The name for display. */
  public String text() {
    return text;
  }

  /** Whether it requests tickets and shows them on return. */
  public boolean usesTickets() {
    return usesTickets;
  }

  /** The wait after an answer that was not an admission. */
  final long waitMillis(Answer answer, int attempts, DoubleSupplier random) {
    long wait = answer.isRejected() ? millis(answer, attempts, random) : WITHOUT_DECISION_MILLIS;
    return Math.max(1, wait);
  }

  abstract long millis(Answer answer, int attempts, DoubleSupplier random);
}
