package io.weir.spring.call;

import io.weir.core.answer.Problem;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;

/** A limited method was not called, because a limit does not allow it. */
public final class RateLimitedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String operation;
  private final transient Decision decision;

  RateLimitedException(String operation, Decision decision) {
    super(message(operation, decision), null, false, false);
    this.operation = operation;
    this.decision = decision;
  }

  private static String message(String operation, Decision decision) {
    return decision instanceof Denied denied
        ? "%s is limited by %s: again in %s"
            .formatted(operation, denied.full(), denied.retryAfter())
        : "%s is not allowed".formatted(operation);
  }

  /** The decision, a {@link Denied} or one that is never allowed. */
  public Decision decision() {
    return decision;
  }

  /** The answer to a caller over HTTP. */
  public Problem problem() {
    return Problem.refusing(operation, decision);
  }
}
