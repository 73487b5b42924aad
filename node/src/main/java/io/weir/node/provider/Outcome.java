package io.weir.node.provider;

import io.vertx.core.MultiMap;
import java.time.Instant;
import java.util.Set;

/**
 * What an attempt says of the provider.
 *
 * @param health whether it counts for or against it
 * @param coolMillis for how long something of it is left alone, because it said so
 * @param coolsProvider whether that is all of it; else the key that was used
 * @param mayBeSentAgain whether another attempt may do better
 * @param isUnsent whether the provider surely has not acted upon it
 * @param isAnswer whether the provider answered
 * @param loadThousandths how busy it says it is, -1 where it says nothing
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
  // As of SMG.
  private static final Set<Integer> RETRYABLE = Set.of(408, 429, 500, 502, 503, 504);

  /** What an attempt says of a provider's health. */
  public enum Health {
    GOOD,
    BAD,
    /** It said that it has too much to do, or it was not its doing. */
    NEUTRAL
  }

  /** There was no connection. */
  public static Outcome notSent() {
    return new Outcome(Health.BAD, 0, false, true, true, false, -1);
  }

  /** It broke, or nothing came in time. */
  public static Outcome broken() {
    return new Outcome(Health.BAD, 0, false, true, false, false, -1);
  }

  /** It took longer than another attempt is waited for. */
  public static Outcome overtaken() {
    return new Outcome(Health.NEUTRAL, 0, false, true, false, false, -1);
  }

  /** It was the caller's doing, or this node's. */
  public static Outcome unknown() {
    return new Outcome(Health.NEUTRAL, 0, false, false, false, false, -1);
  }

  /** There was an answer. */
  public static Outcome answered(int status, MultiMap headers, Instant now) {
    boolean isBusy = status == TOO_MANY || status == UNAVAILABLE;
    long wait = isBusy ? WaitTold.millis(status, headers, now).orElse(0) : 0;
    return answered(status, wait).withLoad(LoadReport.thousandths(headers));
  }

  /**
   * The same.
   *
   * @param waitMillis what the answer named, 0 for nothing
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

  /** How long a good answer took, in microseconds; -1 for an error, 0 where it says nothing of that. */
  long sampleMicros(long nanos) {
    if (health == Health.GOOD) {
      return nanos / 1000;
    }
    return health == Health.BAD || mayBeSentAgain ? -1 : 0;
  }
}
