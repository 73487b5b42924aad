package io.weir.node.check;

import io.weir.core.throttle.HoldNeededException;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Identities;

/** The answers to checks without a decision, by every protocol. */
public final class UndecidedCheck {
  private static final ProblemDetails HOLD_NEEDED = ProblemDetails.of(
      409, "reservation_needed", "The operation takes permits: ask for it at /v1/reservations");
  private static final ProblemDetails WITHDRAWN =
      ProblemDetails.of(401, "key_invalid", "The key was withdrawn");

  private UndecidedCheck() {}

  /**
   * The answer.
   *
   * @param isNamed whether a service named the subject, rather than its key
   */
  public static ProblemDetails problem(Throwable error, boolean isNamed) {
    if (error instanceof RefusedException refused) {
      return refused.problem();
    }
    if (error instanceof HoldNeededException) {
      return HOLD_NEEDED;
    }
    if (error instanceof StoreUnavailableException) {
      return ProblemDetails.unavailable();
    }
    return error instanceof UnknownSubjectException && isNamed
        ? Identities.subjectUnknown()
        : WITHDRAWN;
  }
}
