package io.weir.node.auth;

import io.vertx.core.MultiMap;
import io.weir.node.answer.ProblemDetails;

/** Admits services, which show the service token as bearer token. Safe for use by many threads. */
public final class ServiceGuard {
  private static final ProblemDetails INVALID = ProblemDetails.of(
      401, "service_token_invalid", "This needs the service token as bearer token");
  private static final ProblemDetails OF_OPERATOR = ProblemDetails.of(
      403, "service_token_needed", "This is the token of an operator, not the service token");

  private final TokenGuard services;
  private final TokenGuard admins;
  private final Identities identities;

  /**
   * A guard of one node.
   *
   * @param services for the service token
   * @param admins for the admin token of the node
   * @param identities know the stored tokens of operators
   */
  public ServiceGuard(TokenGuard services, TokenGuard admins, Identities identities) {
    this.services = services;
    this.admins = admins;
    this.identities = identities;
  }

  /** Whether these headers carry the service token. */
  public boolean admits(MultiMap headers) {
    return services.admits(headers);
  }

  /**
   * The refusal of a request that does not carry it: the same without a token and with any wrong one; another one for the
   * token of an operator.
   */
  public ProblemDetails refusal(MultiMap headers) {
    return KeyHeaders.bearer(headers).filter(this::isOfOperator).isPresent()
        ? OF_OPERATOR
        : INVALID;
  }

  private boolean isOfOperator(String token) {
    return admins.isConfigured()
        && (admins.admits(token) || identities.operator(token).isPresent());
  }
}
