package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Identities;
import io.weir.node.auth.KeyHeaders;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.auth.Sessions;
import io.weir.node.auth.TokenGuard;
import io.weir.node.intake.AdmittingDoor;
import io.weir.node.intake.Door;

/**
 * Admits operators, who show the admin token of the node or one that is stored with a scope, or the session of a browser
 * that began with one. Safe for use by many threads.
 */
public final class Operators {
  private static final ProblemDetails DISABLED =
      ProblemDetails.of(403, "admin_disabled", "The node was started without an admin token");
  private static final ProblemDetails TOKEN_INVALID =
      ProblemDetails.of(401, "admin_token_invalid", "The admin token is missing or wrong");

  private static final ProblemDetails FORBIDDEN = ProblemDetails.of(
      403, "admin_scope", "The admin token is not for this: it has another scope or tenant");

  private final TokenGuard guard;
  private final Identities identities;
  private final Sessions sessions;

  public Operators(TokenGuard guard, Identities identities, Sessions sessions) {
    this.guard = guard;
    this.identities = identities;
    this.sessions = sessions;
  }

  /** The sessions of browsers. */
  public Sessions sessions() {
    return sessions;
  }

  /**
   * The operator of a request; throws {@link RefusedException} if it carries no token of one, or the node was started
   * without.
   */
  public Operator of(HttpServerRequest request) {
    return of(KeyHeaders.bearer(request.headers()).orElse(""));
  }

  /** The token of a request's operator in clear; throws in the same way. */
  public String token(HttpServerRequest request) {
    String token =
        KeyHeaders.bearer(request.headers()).orElseThrow(() -> new RefusedException(TOKEN_INVALID));
    Operator unused = of(token);
    return token;
  }

  /** The operator who shows a token; throws in the same way. */
  public Operator of(String token) {
    if (!guard.isConfigured()) {
      throw new RefusedException(DISABLED);
    }
    return guard.admits(token)
        ? Operator.OF_NODE
        : identities.operator(token).orElseThrow(() -> new RefusedException(TOKEN_INVALID));
  }

  /** The same for an operator who may do this for the whole cluster. */
  public Operator require(HttpServerRequest request, Scope needed) {
    Operator operator = of(request);
    if (!operator.may(needed)) {
      throw forbidden();
    }
    return operator;
  }

  /** The same at a later moment of a request: its session may have ended, too. */
  public Future<Operator> requireStill(HttpServerRequest request, Scope needed) {
    return sessions.requireOpen(request).map(open -> require(request, needed));
  }

  /** The same door, to which a request may show the session of a browser in place of a token. */
  public Door inSessions(Door door) {
    return new AdmittingDoor(door, sessions::admit);
  }

  /** The refusal of an operator with another scope. */
  public static RefusedException forbidden() {
    return new RefusedException(FORBIDDEN);
  }
}
