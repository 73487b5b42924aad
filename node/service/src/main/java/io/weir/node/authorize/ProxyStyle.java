package io.weir.node.authorize;

import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.QueryParameters;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a proxy describes the request of its caller, and which answers it understands. The proxy's configuration chooses
 * it, never the presence of a header: what the other styles read may have been written by the caller.
 */
enum ProxyStyle {
  /** {@code X-Original-Method} and {@code X-Original-URI}, for proxies that may set any header. */
  ORIGINAL("X-Original-Method", "X-Original-URI"),

  /** {@code X-Forwarded-Method} and {@code X-Forwarded-Uri}, as Caddy and Traefik send them. */
  FORWARDED("X-Forwarded-Method", "X-Forwarded-Uri"),

  /** The headers of {@link #ORIGINAL}, for {@code auth_request}: it turns other refusals than 401 and 403 into 500. */
  NGINX("X-Original-Method", "X-Original-URI");

  /** The query parameter that chooses it. */
  static final String PARAMETER = "style";

  private final String method;
  private final String target;

  ProxyStyle(String method, String target) {
    this.method = method;
    this.target = target;
  }

  /** The style that a request asks for; throws {@link RefusedException} for an unknown one. */
  static ProxyStyle of(HttpServerRequest request) {
    @Nullable String name = QueryParameters.values(request, Set.of(PARAMETER)).get(PARAMETER);
    if (name == null) {
      return ORIGINAL;
    }
    for (ProxyStyle style : values()) {
      if (style.name().toLowerCase(Locale.ROOT).equals(name)) {
        return style;
      }
    }
    throw new RefusedException(ProblemDetails.badRequest(
        "query_invalid", List.of("style: (expected: original, forwarded or nginx)")));
  }

  /** The request of the caller; throws {@link RefusedException} if the proxy has not described it, or twice. */
  CallersRequest read(HttpServerRequest request) {
    return new CallersRequest(request, one(request, method), one(request, target));
  }

  private static String one(HttpServerRequest request, String header) {
    List<String> values = request.headers().getAll(header);
    if (values.size() != 1) {
      throw new RefusedException(ProblemDetails.badRequest(
          "original_request_missing",
          List.of(
              "%s: %d times (expected: once, set by the proxy)".formatted(header, values.size()))));
    }
    return values.get(0);
  }

  /** The status that the proxy gets for a refusal, if it is another one than the caller should get. */
  Optional<Integer> statusFor(ProblemDetails problem) {
    boolean isUnderstood = problem.status() == 401 || problem.status() >= 500;
    return this == NGINX && !isUnderstood ? Optional.of(403) : Optional.empty();
  }
}
