package io.weir.demo.local;

import io.weir.demo.local.KeyClient.Answer;
import java.util.function.DoubleSupplier;

/** How a rejected caller waits. */
public enum Patience {
  /** It keeps the place it was given. */
  SLOTS("slots", true) {
    @Override
    long millis(Answer answer, int attempts, DoubleSupplier random) {
      return answer.retryAfterMillis();
    }
  },
  /** It is told when the next request fits, in whole seconds, as everybody is. */
  NEXT_TOKEN("next token", false) {
    @Override
    long millis(Answer answer, int attempts, DoubleSupplier random) {
      return answer.retryAfterSeconds() * 1000;
    }
  },
  /** It listens to nobody: 50 ms, half as much again each time, ± 20 %, at most 30 s. */
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

  /** As people read it. */
  public String text() {
    return text;
  }

  /** Whether it asks for tickets and brings them back. */
  public boolean usesTickets() {
    return usesTickets;
  }

  /** How long it waits after an answer that let nothing through. */
  final long waitMillis(Answer answer, int attempts, DoubleSupplier random) {
    long wait = answer.isRejected() ? millis(answer, attempts, random) : WITHOUT_DECISION_MILLIS;
    return Math.max(1, wait);
  }

  abstract long millis(Answer answer, int attempts, DoubleSupplier random);
}
