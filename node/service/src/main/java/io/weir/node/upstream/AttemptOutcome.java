package io.weir.node.upstream;

import io.weir.client.answer.AnswerStatus;

/**
 * The outcome of an attempt, for the server.
 *
 * @param health whether it counts for or against the server
 * @param coolMillis the wait that the server asked for, 0 for none
 * @param coolsServer whether the wait is for the whole server; otherwise for the key that was used
 * @param mayBeSentAgain whether another attempt may succeed
 * @param isUnsent whether the server surely has not executed the request
 * @param isAnswer whether the server answered
 * @param loadThousandths the load that it reports, -1 if it reports none
 */
public record AttemptOutcome(
    Health health,
    long coolMillis,
    boolean coolsServer,
    boolean mayBeSentAgain,
    boolean isUnsent,
    boolean isAnswer,
    int loadThousandths) {
  private static final int TOO_MANY = 429;
  private static final int FIRST_SERVER_ERROR = 500;

  /** The effect of an attempt on a server's health. */
  public enum Health {
    GOOD,
    BAD,
    /** The server was overloaded, or not the cause. */
    NEUTRAL,
    /** The server works, and refused the key that it was sent with. */
    REFUSED
  }

  /** There was no connection. */
  public static AttemptOutcome notSent() {
    return new AttemptOutcome(Health.BAD, 0, false, true, true, false, -1);
  }

  /** The connection broke, or no answer came in time. */
  public static AttemptOutcome broken() {
    return new AttemptOutcome(Health.BAD, 0, false, true, false, false, -1);
  }

  /** It was given up in favour of another attempt. */
  public static AttemptOutcome overtaken() {
    return new AttemptOutcome(Health.NEUTRAL, 0, false, true, false, false, -1);
  }

  /** The caller or this node was the cause. */
  public static AttemptOutcome unknown() {
    return new AttemptOutcome(Health.NEUTRAL, 0, false, false, false, false, -1);
  }

  /**
   * The server answered.
   *
   * @param waitMillis the wait that the answer named, 0 for none
   */
  public static AttemptOutcome answered(int status, long waitMillis) {
    return new AttemptOutcome(
        health(status, waitMillis),
        waitMillis,
        AnswerStatus.isFailure(status),
        AnswerStatus.isPassing(status),
        status == TOO_MANY,
        true,
        -1);
  }

  /**
   * The server refused the key, and did not execute the request.
   *
   * @param waitMillis the wait that the answer named, 0 for none
   */
  public static AttemptOutcome refused(long waitMillis) {
    return new AttemptOutcome(Health.REFUSED, waitMillis, false, true, true, true, -1);
  }

  // A busy server that names a wait is left alone for that time; it has not failed.
  private static Health health(int status, long waitMillis) {
    if (status == TOO_MANY || (AnswerStatus.isBusy(status) && waitMillis > 0)) {
      return Health.NEUTRAL;
    }
    if (AnswerStatus.isFailure(status)) {
      return Health.BAD;
    }
    return status >= FIRST_SERVER_ERROR ? Health.NEUTRAL : Health.GOOD;
  }

  /** Whether another attempt is of use only with another server or key. */
  boolean needsAnother() {
    return coolMillis > 0 || health == Health.REFUSED;
  }

  /** A copy with the load that the server reported. */
  public AttemptOutcome withLoad(int thousandths) {
    return new AttemptOutcome(
        health, coolMillis, coolsServer, mayBeSentAgain, isUnsent, isAnswer, thousandths);
  }
}
