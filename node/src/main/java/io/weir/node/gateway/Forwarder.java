package io.weir.node.gateway;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.weir.decision.Decision;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.Tickets;
import io.weir.node.auth.ApiKey;
import io.weir.node.http.EarlyAnswer;
import io.weir.node.http.WatchedBody;
import io.weir.policy.Subject;
import io.weir.policy.Upstream;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards requests to the upstream. One for each event loop.
 *
 * <p>Headers are kept, but for those of one hop, the key and the ticket that Weir itself has checked, and
 * what tells the upstream who asks: {@code X-Weir-Subject} and {@code X-Weir-Tenant}.
 */
final class Forwarder {
  private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);
  private static final int MAX_CONNECTIONS = 256;
  private static final int MAX_WAITING = 10_000;
  private static final String CONNECT_TIMEOUT = "ConnectTimeoutException";

  private final Vertx vertx;
  private final HttpClient client;

  Forwarder(Vertx vertx) {
    this.vertx = vertx;
    this.client = vertx.createHttpClient(
        new HttpClientOptions(),
        new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS).setMaxWaitQueueSize(MAX_WAITING));
  }

  /**
   * Forwards a paused request, and answers it.
   *
   * @param body the body where it has been read already
   * @param decision empty where none could be made and the request passes all the same
   */
  Future<Void> forward(
      HttpServerRequest request,
      Optional<Buffer> body,
      Upstream upstream,
      Subject subject,
      Optional<Decision> decision) {
    return client
        .request(options(request, upstream, subject))
        .recover(error -> Future.failedFuture(new NotSentException(error)))
        .compose(outgoing -> new Exchange(
                vertx, request, outgoing, upstream.maxBodyBytes(), upstream.timeoutMillis())
            .run(body, headers -> tell(decision, headers)))
        .recover(error -> fail(request, upstream, decision, error));
  }

  private static void tell(Optional<Decision> decision, MultiMap headers) {
    decision.ifPresentOrElse(
        d -> DecisionAnswers.addHeaders(d, headers),
        () -> headers.set("Weir-Degraded", "store-unavailable"));
  }

  private Future<Void> fail(
      HttpServerRequest request, Upstream upstream, Optional<Decision> decision, Throwable error) {
    HttpServerResponse response = request.response();
    if (response.closed() || response.ended()) {
      return Future.succeededFuture();
    }
    if (response.headWritten()) {
      // Too late for another status: the caller must see that the body is not whole.
      return response.reset().mapEmpty();
    }
    response.headers().clear();
    boolean wasSent = !(error instanceof NotSentException);
    Throwable cause = error instanceof NotSentException unsent ? unsent.why : error;
    ProblemDetails problem = problem(upstream, cause).with("sent", wasSent);
    // The upstream's own may be there already, and would stay beside another status.
    response.setStatusMessage(HttpResponseStatus.valueOf(problem.status()).reasonPhrase());
    tell(decision, response.headers());
    return EarlyAnswer.send(vertx, request, problem);
  }

  /** There was no connection to the upstream: it knows nothing of the request. */
  private static final class NotSentException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Throwable why;

    NotSentException(Throwable why) {
      super(null, why, false, false);
      this.why = why;
    }
  }

  private static ProblemDetails problem(Upstream upstream, Throwable error) {
    if (error instanceof WatchedBody.TooLongException) {
      return GatewayProblems.BODY_TOO_LONG;
    }
    // Without its message: that may carry the whole URI, and with it what callers put there.
    String kind = error.getClass().getSimpleName();
    LOG.warn("upstream {}: {}", upstream.uri().getAuthority(), kind);
    boolean late = error instanceof TimeoutException || kind.equals(CONNECT_TIMEOUT);
    return late ? GatewayProblems.UPSTREAM_TIMEOUT : GatewayProblems.UPSTREAM_UNREACHABLE;
  }

  private static RequestOptions options(
      HttpServerRequest request, Upstream upstream, Subject subject) {
    boolean tls = "https".equals(upstream.uri().getScheme());
    int port = upstream.uri().getPort() >= 0 ? upstream.uri().getPort() : tls ? 443 : 80;
    return new RequestOptions()
        .setMethod(request.method())
        .setURI(request.uri())
        .setHost(upstream.uri().getHost())
        .setPort(port)
        .setSsl(tls)
        .setConnectTimeout(upstream.connectTimeoutMillis())
        .setHeaders(headers(request, upstream, subject));
  }

  private static MultiMap headers(HttpServerRequest request, Upstream upstream, Subject subject) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().addAll(request.headers());
    HopByHop.remove(headers);
    headers.remove(HttpHeaders.TRANSFER_ENCODING);
    headers.remove(HttpHeaders.EXPECT); // answered by this node
    headers.remove(Tickets.RETRY_TICKET);
    headers.remove(
        headers.contains(ApiKey.HEADER) ? ApiKey.HEADER : HttpHeaders.AUTHORIZATION.toString());
    headers.set("X-Weir-Subject", subject.id());
    headers.set("X-Weir-Tenant", subject.tenant());
    headers.remove("X-Forwarded-Host");
    Optional.ofNullable(request.getHeader(HttpHeaders.HOST))
        .ifPresent(host -> headers.set("X-Forwarded-Host", host));
    headers.set(HttpHeaders.HOST, upstream.uri().getAuthority());
    return headers;
  }
}
