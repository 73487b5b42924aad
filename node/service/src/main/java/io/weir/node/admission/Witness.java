package io.weir.node.admission;

import io.weir.core.decision.Decision;
import io.weir.core.policy.Subject;

/**
 * Sees all decisions that a node answers: not those of requests that wait here until they may pass. Called on the event
 * loops that serve the requests, which it must not hold up.
 */
public interface Witness {
  /** Sees nothing. */
  Witness NONE = new Witness() {
    @Override
    public Decision answered(Question question, Decision decision) {
      return decision;
    }

    @Override
    public void undecided(Question question, Throwable error) {}
  };

  /**
   * The request that is decided on.
   *
   * @param cost in operations
   * @param atLeast the least of it that the caller accepts; the cost for all or nothing
   */
  record Question(Subject subject, String operation, long cost, long atLeast) {

    /** A request that takes its whole cost, or nothing. */
    public Question(Subject subject, String operation, long cost) {
      this(subject, operation, cost, cost);
    }
  }

  /** Sees a decision that is answered; returns it, with an id if operators can find it. */
  Decision answered(Question question, Decision decision);

  /** Sees that a request was refused because nothing was decided. */
  void undecided(Question question, Throwable error);
}
