package io.weir.node.answer;

import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreUnavailableException;

/** Refuses a request; it is answered with the problem. Has no stack trace, as it is not a fault. */
public final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ProblemDetails problem;

  public RefusedException(ProblemDetails problem) {
    super(problem.code(), null, false, false);
    this.problem = problem;
  }

  /** Turns a failure of the shared state into the answer of its caller: 503 if the state was away, else the failure itself. */
  public static Throwable of(Throwable error) {
    Throwable cause = Failures.cause(error);
    return cause instanceof StoreUnavailableException
        ? new RefusedException(ProblemDetails.unavailable())
        : cause;
  }

  /**
   * The resource does not support the method.
   *
   * @param allowed the supported methods, for the header {@code Allow} (RFC 9110, section 10.2.1)
   */
  public static RefusedException methodNotAllowed(String allowed) {
    return new RefusedException(
        ProblemDetails.of(405, "method_not_allowed", "The method is not one of this resource")
            .with("allow", allowed));
  }

  /** The problem to answer with. */
  public ProblemDetails problem() {
    return problem;
  }
}
