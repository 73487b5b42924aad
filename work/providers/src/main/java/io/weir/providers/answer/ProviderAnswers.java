package io.weir.providers.answer;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.weir.client.answer.AnswerStatus;
import io.weir.client.answer.NamedWait;
import io.weir.node.upstream.AttemptOutcome;
import io.weir.providers.rule.JsonRpcRule;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** Judges answers of providers: the wait and the load that they name, refused keys, and errors behind a 200. */
public final class ProviderAnswers {
  private static final int OK = 200;

  /** Longer waits are cut to this. */
  public static final long LONGEST_WAIT_MILLIS = 3_600_000;

  private ProviderAnswers() {}

  /** The wait that an answer names. */
  static OptionalLong waitMillis(int status, MultiMap headers, Instant now) {
    return NamedWait.millis(status, headers::getAll, now, LONGEST_WAIT_MILLIS);
  }

  /**
   * The outcome of an answer.
   *
   * @param body the whole body, if it is there and short
   * @param hasKey whether the request was sent with one of our keys
   */
  public static AttemptOutcome outcome(
      int status,
      MultiMap headers,
      Optional<Buffer> body,
      JsonRpcRule rule,
      boolean hasKey,
      Instant now) {
    return body.filter(whole -> readsBody(status, rule))
        .flatMap(whole -> JsonRpcErrors.outcome(whole, rule))
        .orElseGet(() -> outcome(status, headers, now, hasKey));
  }

  /** Whether the meaning of an answer with this status may be in its body. */
  public static boolean readsBody(int status, JsonRpcRule rule) {
    return status == OK && rule.isRead();
  }

  /**
   * The outcome of an answer, by its head alone.
   *
   * @param hasKey whether the request was sent with one of our keys
   */
  public static AttemptOutcome outcome(int status, MultiMap headers, Instant now, boolean hasKey) {
    boolean isRefused = hasKey && AnswerStatus.mayRefuseKey(status);
    long wait = isRefused || AnswerStatus.isPassing(status)
        ? waitMillis(status, headers, now).orElse(0)
        : 0;
    AttemptOutcome outcome =
        isRefused ? AttemptOutcome.refused(wait) : AttemptOutcome.answered(status, wait);
    return outcome.withLoad(LoadReport.thousandths(headers));
  }
}
