package io.weir.node.answer;

import io.weir.throttle.Failures;
import io.weir.throttle.StoreUnavailableException;

/** A request is answered with a problem instead of with what was asked for. Without a stack: it is no fault. */
public final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ProblemDetails problem;

  public RefusedException(ProblemDetails problem) {
    super(problem.code(), null, false, false);
    this.problem = problem;
  }

  /** A failure of the shared state as its caller is answered: 503 where the state was not available, else as it is. */
  public static Throwable of(Throwable error) {
    Throwable cause = Failures.cause(error);
    return cause instanceof StoreUnavailableException
        ? new RefusedException(ProblemDetails.unavailable())
        : cause;
  }

  /**
   * The resource has other methods.
   *
   * @param allowed these, as of the header {@code Allow} (RFC 9110, section 10.2.1)
   */
  public static RefusedException methodNotAllowed(String allowed) {
    return new RefusedException(
        ProblemDetails.of(405, "method_not_allowed", "The method is not one of this resource")
            .with("allow", allowed));
  }

  /** What the caller is told. */
  public ProblemDetails problem() {
    return problem;
  }
}
