package io.weir.node.provider;

import io.vertx.core.MultiMap;
import java.time.Instant;
import java.util.Set;

/**
 * The outcome of an attempt, for the provider.
 *
 * @param health whether it counts for or against the provider
 * @param coolMillis the wait that the provider asked for, 0 for none
 * @param coolsProvider whether the wait is for the whole provider; otherwise for the key that was used
 * @param mayBeSentAgain whether another attempt may succeed
 * @param isUnsent whether the provider surely has not executed the request
 * @param isAnswer whether the provider answered
 * @param loadThousandths the load that it reports, -1 if it reports none
 */
public record Outcome(
    Health health,
    long coolMillis,
    boolean coolsProvider,
    boolean mayBeSentAgain,
    boolean isUnsent,
    boolean isAnswer,
    int loadThousandths) {
  private static final int SERVER_ERRORS = 500;
  private static final int TOO_MANY = 429;
  private static final int UNAVAILABLE = 503;
  // Not implemented, HTTP version not supported: the request is the cause, not the provider's
  // health.
  private static final Set<Integer> OF_REQUEST = Set.of(501, 505);
  // The same set as SMG.
  private static final Set<Integer> RETRYABLE = Set.of(408, 429, 500, 502, 503, 504);

  /** The effect of an attempt on a provider's health. */
  public enum Health {
    GOOD,
    BAD,
    /** The provider was overloaded, or not the cause. */
    NEUTRAL
  }

  /** There was no connection. */
  public static Outcome notSent() {
    return new Outcome(Health.BAD, 0, false, true, true, false, -1);
  }

  /** The connection broke, or no answer came in time. */
  public static Outcome broken() {
    return new Outcome(Health.BAD, 0, false, true, false, false, -1);
  }

  /** It was given up in favour of another attempt. */
  public static Outcome overtaken() {
    return new Outcome(Health.NEUTRAL, 0, false, true, false, false, -1);
  }

  /** The caller or this node was the cause. */
  public static Outcome unknown() {
    return new Outcome(Health.NEUTRAL, 0, false, false, false, false, -1);
  }

  /** The provider answered. */
  public static Outcome answered(int status, MultiMap headers, Instant now) {
    boolean isBusy = status == TOO_MANY || status == UNAVAILABLE;
    long wait = isBusy ? WaitTold.millis(status, headers, now).orElse(0) : 0;
    return answered(status, wait).withLoad(LoadReport.thousandths(headers));
  }

  /**
   * The same.
   *
   * @param waitMillis the wait that the answer named, 0 for none
   */
  public static Outcome answered(int status, long waitMillis) {
    boolean isNeutral = status == TOO_MANY || waitMillis > 0 || OF_REQUEST.contains(status);
    Health health = isNeutral ? Health.NEUTRAL : status >= SERVER_ERRORS ? Health.BAD : Health.GOOD;
    return new Outcome(
        health,
        waitMillis,
        status == UNAVAILABLE,
        RETRYABLE.contains(status),
        status == TOO_MANY,
        true,
        -1);
  }

  private Outcome withLoad(int thousandths) {
    return new Outcome(
        health, coolMillis, coolsProvider, mayBeSentAgain, isUnsent, isAnswer, thousandths);
  }

  /** The time of a good answer, in microseconds; -1 for an error, 0 if the outcome tells nothing about the time. */
  long sampleMicros(long nanos) {
    if (health == Health.GOOD) {
      return nanos / 1000;
    }
    return health == Health.BAD || mayBeSentAgain ? -1 : 0;
  }
}
