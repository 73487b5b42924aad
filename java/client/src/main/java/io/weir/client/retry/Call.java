package io.weir.client.retry;

import io.weir.client.answer.AnswerStatus;
import io.weir.client.answer.IdempotentMethods;
import java.util.concurrent.CompletionStage;

/** A request that can be sent several times. */
public interface Call<T> {
  /** The target: scheme, host and port. Breakers and budgets belong to it. */
  String upstream();

  /** The name in logs: no secret, no query. */
  String name();

  /** Whether a method may be sent again whatever the result (RFC 9110, section 9.2.2). */
  static boolean isIdempotent(String method) {
    return IdempotentMethods.contains(method);
  }

  /** Whether it may be sent again even if the server may have acted on it. */
  boolean isRepeatable();

  /** Whether its body, as far as it was sent, can be sent again. */
  default boolean isReplayable() {
    return true;
  }

  /** Whether another attempt may succeed after an answer with this status: 408, 429, 500 and above but 501 and 505. */
  default boolean isTransient(int status) {
    return AnswerStatus.isPassing(status);
  }

  /** Whether another attempt may succeed after this failure without an answer. */
  default boolean isTransient(Throwable failure) {
    return isTransport(failure);
  }

  /** Whether the failure was caused by the upstream or the connection to it. */
  default boolean isTransport(Throwable failure) {
    return CallOutcome.isTransport(failure);
  }

  /** Sends it once. The returned stage is cancelled when no caller waits for it any more. */
  CompletionStage<T> send(Attempt attempt);
}
