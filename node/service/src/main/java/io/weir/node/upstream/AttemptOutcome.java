package io.weir.node.upstream;

import io.weir.client.answer.AnswerStatus;
import java.util.EnumSet;
import java.util.Set;

/**
 * The outcome of an attempt, for the server.
 *
 * @param health whether it counts for or against the server
 * @param coolMillis the wait that the server asked for, 0 for none
 * @param loadThousandths the load that it reports, -1 if it reports none
 */
public record AttemptOutcome(Health health, long coolMillis, Set<Fact> facts, int loadThousandths) {
  private static final int NO_LOAD = -1;
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

  /** A fact that is certain after an attempt. */
  public enum Fact {
    /** The wait is for the whole server; otherwise for the key that was used. */
    COOLS_SERVER,
    /** Another attempt may succeed. */
    REPEATABLE,
    /** The server has not executed the request. */
    UNSENT,
    /** The server answered. */
    ANSWER
  }

  public AttemptOutcome {
    facts = Set.copyOf(facts);
  }

  private static AttemptOutcome unanswered(Health health, Set<Fact> facts) {
    return new AttemptOutcome(health, 0, facts, NO_LOAD);
  }

  /** There was no connection. */
  public static AttemptOutcome notSent() {
    return unanswered(Health.BAD, Set.of(Fact.REPEATABLE, Fact.UNSENT));
  }

  /** The connection broke, or no answer came in time. */
  public static AttemptOutcome broken() {
    return unanswered(Health.BAD, Set.of(Fact.REPEATABLE));
  }

  /** It was given up in favour of another attempt. */
  public static AttemptOutcome overtaken() {
    return unanswered(Health.NEUTRAL, Set.of(Fact.REPEATABLE));
  }

  /** The caller or this node was the cause. */
  public static AttemptOutcome unknown() {
    return unanswered(Health.NEUTRAL, Set.of());
  }

  /**
   * The server answered.
   *
   * @param waitMillis the wait that the answer named, 0 for none
   */
  public static AttemptOutcome answered(int status, long waitMillis) {
    Set<Fact> facts = EnumSet.of(Fact.ANSWER);
    if (AnswerStatus.isFailure(status)) {
      facts.add(Fact.COOLS_SERVER);
    }
    if (AnswerStatus.isPassing(status)) {
      facts.add(Fact.REPEATABLE);
    }
    if (status == TOO_MANY) {
      facts.add(Fact.UNSENT);
    }
    return new AttemptOutcome(health(status, waitMillis), waitMillis, facts, NO_LOAD);
  }

  /**
   * The server refused the key, and did not execute the request.
   *
   * @param waitMillis the wait that the answer named, 0 for none
   */
  public static AttemptOutcome refused(long waitMillis) {
    return new AttemptOutcome(
        Health.REFUSED, waitMillis, Set.of(Fact.REPEATABLE, Fact.UNSENT, Fact.ANSWER), NO_LOAD);
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

  /** Whether the wait is for the whole server. */
  public boolean coolsServer() {
    return facts.contains(Fact.COOLS_SERVER);
  }

  /** Whether another attempt may succeed. */
  public boolean mayBeSentAgain() {
    return facts.contains(Fact.REPEATABLE);
  }

  /** Whether the server surely has not executed the request. */
  public boolean isUnsent() {
    return facts.contains(Fact.UNSENT);
  }

  /** Whether the server answered. */
  public boolean isAnswer() {
    return facts.contains(Fact.ANSWER);
  }

  /** Whether another attempt is of use only with another server or key. */
  boolean needsAnother() {
    return coolMillis > 0 || health == Health.REFUSED;
  }

  /** A copy with the load that the server reported. */
  public AttemptOutcome withLoad(int thousandths) {
    return new AttemptOutcome(health, coolMillis, facts, thousandths);
  }
}
