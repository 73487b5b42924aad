package io.weir.providers.answer;

import io.vertx.core.MultiMap;
import io.weir.node.upstream.AttemptOutcome;
import io.weir.retry.AnswerStatus;
import io.weir.retry.NamedWait;
import java.time.Instant;
import java.util.OptionalLong;

/** Judges answers of providers by their heads: the wait and the load that they name. */
public final class ProviderAnswers {
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
