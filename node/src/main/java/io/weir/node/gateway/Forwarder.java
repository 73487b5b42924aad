package io.weir.node.gateway;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.httpproxy.Body;
import io.vertx.httpproxy.ProxyRequest;
import io.vertx.httpproxy.ProxyResponse;
import io.weir.decision.Decision;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.auth.ApiKey;
import io.weir.policy.Subject;
import io.weir.policy.Upstream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams a request to the upstream and its answer back. One for each event loop.
 *
 * <p>Headers are kept, but for those of one hop (RFC 9110, section 7.6.1), the key that Weir itself has
 * checked, and what tells the upstream who asks: {@code X-Weir-Subject} and {@code X-Weir-Tenant}.
 */
final class Forwarder {
  private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);
  private static final List<String> HOP_BY_HOP = List.of(
      "Connection",
      "Keep-Alive",
      "Proxy-Authenticate",
      "Proxy-Authorization",
      "Proxy-Connection",
      "TE",
      "Trailer",
      "Upgrade");
  private static final int MAX_CONNECTIONS = 256;
  private static final int MAX_WAITING = 10_000;

  private final HttpClient client;

  Forwarder(Vertx vertx) {
    this.client = vertx.createHttpClient(
        new HttpClientOptions(),
        new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS).setMaxWaitQueueSize(MAX_WAITING));
  }

  /**
   * Forwards a paused request.
   *
   * @param body the body where it has been read already
   */
  Future<Void> forward(
      HttpServerRequest request,
      Optional<Buffer> body,
      Upstream upstream,
      Subject subject,
      Optional<Decision> decision) {
    ProxyRequest proxied = ProxyRequest.reverseProxy(request);
    BoundedBody bounded = new BoundedBody(request, upstream.maxBodyBytes());
    proxied.setBody(
        body.map(Body::body).orElseGet(() -> Body.body(bounded, contentLength(request))));
    prepare(proxied.headers(), subject);
    return client
        .request(options(upstream))
        .compose(outgoing -> exchange(proxied, outgoing, upstream))
        .compose(answer -> relay(answer, decision))
        .recover(error -> fail(request.response(), bounded.exceeded().failed(), error));
  }

  private static Future<ProxyResponse> exchange(
      ProxyRequest proxied, HttpClientRequest outgoing, Upstream upstream) {
    outgoing.idleTimeout(upstream.timeoutMillis());
    // A caller that hangs up takes its request along.
    proxied.proxiedRequest().response().closeHandler(closed -> {
      Future<Void> unused = outgoing.reset().mapEmpty();
    });
    return proxied.send(outgoing);
  }

  private static Future<Void> relay(ProxyResponse answer, Optional<Decision> decision) {
    removeHopByHop(answer.headers());
    decision.ifPresentOrElse(
        d -> DecisionAnswers.addHeaders(d, answer.headers()),
        () -> answer.headers().set("Weir-Degraded", "store-unavailable"));
    return answer.send();
  }

  private static Future<Void> fail(HttpServerResponse response, boolean tooLong, Throwable error) {
    if (response.closed()) {
      return Future.succeededFuture();
    }
    if (response.headWritten()) {
      // Too late for another status: the caller must see that the body is not whole.
      return response.reset().mapEmpty();
    }
    response.headers().clear();
    if (tooLong) {
      response.putHeader(HttpHeaders.CONNECTION, "close");
      return GatewayProblems.BODY_TOO_LONG.send(response);
    }
    LOG.warn("upstream: {}", error.toString());
    ProblemDetails problem =
        isTimeout(error) ? GatewayProblems.UPSTREAM_TIMEOUT : GatewayProblems.UPSTREAM_UNREACHABLE;
    return problem.send(response);
  }

  private static boolean isTimeout(Throwable error) {
    return error instanceof TimeoutException
        || String.valueOf(error.getMessage()).toLowerCase(Locale.ROOT).contains("timeout");
  }

  private static RequestOptions options(Upstream upstream) {
    boolean tls = "https".equals(upstream.uri().getScheme());
    int port = upstream.uri().getPort() >= 0 ? upstream.uri().getPort() : tls ? 443 : 80;
    return new RequestOptions()
        .setHost(upstream.uri().getHost())
        .setPort(port)
        .setSsl(tls)
        .setConnectTimeout(upstream.connectTimeoutMillis());
  }

  private static void prepare(MultiMap headers, Subject subject) {
    removeHopByHop(headers);
    headers.remove(
        headers.contains(ApiKey.HEADER) ? ApiKey.HEADER : HttpHeaders.AUTHORIZATION.toString());
    headers.set("X-Weir-Subject", subject.id());
    headers.set("X-Weir-Tenant", subject.tenant());
  }

  private static void removeHopByHop(MultiMap headers) {
    for (String listed : headers.getAll(HttpHeaders.CONNECTION)) {
      for (String name : listed.split(",", -1)) {
        String token = name.strip();
        if (!token.isEmpty() && !token.equalsIgnoreCase("close")) {
          headers.remove(token);
        }
      }
    }
    HOP_BY_HOP.forEach(headers::remove);
  }

  private static long contentLength(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length != null) {
      return Long.parseLong(length); // the server refuses a request with any other
    }
    return request.getHeader(HttpHeaders.TRANSFER_ENCODING) == null ? 0 : -1;
  }
}
