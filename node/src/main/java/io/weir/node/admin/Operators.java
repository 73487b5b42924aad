package io.weir.node.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.TokenGuard;

/** Admits operators, who show the admin token. Immutable. */
public final class Operators {
  private static final ProblemDetails DISABLED =
      ProblemDetails.of(403, "admin_disabled", "The node was started without an admin token");
  private static final ProblemDetails TOKEN_INVALID =
      ProblemDetails.of(401, "admin_token_invalid", "The admin token is missing or wrong");

  private final TokenGuard guard;

  public Operators(TokenGuard guard) {
    this.guard = guard;
  }

  /** Throws {@link RefusedException} if the request does not carry the token, or the node has none. */
  public void admit(HttpServerRequest request) {
    if (!guard.isConfigured()) {
      throw new RefusedException(DISABLED);
    }
    if (!guard.admits(request.headers())) {
      throw new RefusedException(TOKEN_INVALID);
    }
  }
}
