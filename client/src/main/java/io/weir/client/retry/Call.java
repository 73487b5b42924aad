package io.weir.client.retry;

import java.util.concurrent.CompletionStage;

/** What is sent, once or again. */
public interface Call<T> {
  /** Whom it is sent to: scheme, host and port. Breakers and budgets belong to it. */
  String upstream();

  /** As people read it in the log: no secret, no query. */
  String name();

  /** Whether a method may be sent again whatever became of it (RFC 9110, section 9.2.2). */
  static boolean isIdempotent(String method) {
    return switch (method) {
      case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE" -> true;
      default -> false;
    };
  }

  /** Whether it may be sent again where the server may have acted on it. */
  boolean isRepeatable();

  /** Whether its body, as far as it was sent, can be sent once more. */
  default boolean isReplayable() {
    return true;
  }

  /** Whether a sending that failed without an answer may do better if it is sent again. */
  default boolean isTransient(Throwable failure) {
    return isTransport(failure);
  }

  /** Whether there was no answer because of the upstream, or of the way to it. */
  default boolean isTransport(Throwable failure) {
    return Outcome.isTransport(failure);
  }

  /** Sends it once. What this gives is cancelled when nobody waits for it any more. */
  CompletionStage<T> send(Attempt attempt);
}
