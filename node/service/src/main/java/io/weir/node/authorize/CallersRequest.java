package io.weir.node.authorize;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.vertx.core.internal.http.HttpServerRequestWrapper;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The request that a proxy asks about: the caller's method and target, with the headers and the connection of the
 * proxy's own request. A certificate on that connection is the proxy's, so the caller has none.
 */
final class CallersRequest extends HttpServerRequestWrapper {
  private static final Pattern METHOD = Pattern.compile("[A-Z]{1,20}");

  private final HttpMethod method;
  private final String target;

  /** @param target the path and the query as the caller sent them (RFC 9112, section 3.2.1) */
  CallersRequest(HttpServerRequest ofProxy, String method, String target) {
    super((HttpServerRequestInternal) ofProxy);
    if (!METHOD.matcher(method).matches() || !target.startsWith("/")) {
      throw new RefusedException(ProblemDetails.badRequest(
          "original_request_invalid",
          List.of("the caller's method or target (expected: such as GET, and a path)")));
    }
    this.method = HttpMethod.valueOf(method);
    this.target = target;
  }

  @Override
  public HttpMethod method() {
    return method;
  }

  @Override
  public String uri() {
    return target;
  }

  @Override
  public String path() {
    int query = target.indexOf('?');
    return query < 0 ? target : target.substring(0, query);
  }

  @Override
  public String query() {
    int query = target.indexOf('?');
    return query < 0 ? "" : target.substring(query + 1);
  }

  @Override
  public boolean isSSL() {
    return false;
  }
}
