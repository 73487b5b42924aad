package io.weir.node.gateway;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.RequestOptions;
import io.weir.core.decision.Decision;
import io.weir.core.policy.Upstream;
import io.weir.node.admission.Asked;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Share;
import io.weir.node.intake.EarlyAnswer;
import io.weir.node.metrics.HttpMeters;
import io.weir.node.usage.Usage;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to the upstream. One for each event loop: a key may have half of its connections, a tenant three
 * quarters. Mutable; owned by its event loop.
 */
public final class Forwarder {
  static final String VIA = "1.1 weir";

  private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);
  private static final int MAX_CONNECTIONS = 256;
  private static final long LOG_EVERY_NANOS = 1_000_000_000;
  private static final ProblemDetails TOO_MANY = ProblemDetails.of(
      429, "requests_in_flight", "Too many requests of this key or tenant are under way");
  private static final ProblemDetails OVERLOADED =
      ProblemDetails.of(503, "node_overloaded", "Too many requests are under way on this node");
  private static final ProblemDetails UNREACHABLE =
      ProblemDetails.of(502, "upstream_unreachable", "The upstream cannot be reached");
  private static final ProblemDetails INVALID =
      ProblemDetails.of(502, "upstream_invalid", "The upstream's answer cannot be understood");
  private static final ProblemDetails TIMEOUT =
      ProblemDetails.of(504, "upstream_timeout", "The upstream did not answer in time");

  private final Vertx vertx;
  private final HttpMeters meters;
  private long loggedNanos = System.nanoTime() - LOG_EVERY_NANOS;
  private long notLogged;
  private final HttpClient client;
  private final Bulkhead connections =
      new Bulkhead(MAX_CONNECTIONS / 2, MAX_CONNECTIONS * 3 / 4, MAX_CONNECTIONS);

  public Forwarder(Vertx vertx, HttpMeters meters) {
    this.vertx = vertx;
    this.meters = meters;
    this.client = UpstreamClients.of(vertx, MAX_CONNECTIONS, MAX_CONNECTIONS);
  }

  /**
   * A request on an open connection to the upstream.
   *
   * @param share of the connections; the receiver frees it
   */
  public record Sending(HttpClientRequest request, Share share) {}

  private HttpClientRequest timed(HttpClientRequest request) {
    long begun = System.nanoTime();
    request
        .response()
        .onSuccess(head -> meters.forwarded(head.statusCode(), System.nanoTime() - begun));
    return request;
  }

  /**
   * Opens a request to the upstream. Nothing is sent yet.
   *
   * @param headers all headers of the request
   * @return fails with {@link RefusedException} if the subject's share of connections is in use, or with {@link
   *     NotSentException}
   */
  public Future<Sending> open(Asked asked, MultiMap headers) {
    return Future.succeededFuture().compose(begun -> open(asked, headers, reserve(asked)));
  }

  /** Takes a share of the connections; throws {@link RefusedException} if the subject's part is in use. */
  Share reserve(Asked asked) {
    return connections
        .tryTake(asked.subject(), 1)
        .orElseThrow(() -> new RefusedException(connections.isFull() ? OVERLOADED : TOO_MANY));
  }

  /** The same with a share that was taken before; it is freed if there is no connection. */
  Future<Sending> open(Asked asked, MultiMap headers, Share share) {
    return Future.succeededFuture()
        .compose(begun -> client.request(options(asked, headers)))
        // The future reports failures; without a handler Vert.x would log them too.
        .map(request -> new Sending(timed(request.exceptionHandler(failed -> {})), share))
        .recover(error -> {
          share.free();
          return Future.failedFuture(new NotSentException(error));
        });
  }

  /**
   * Forwards a paused request, and answers it.
   *
   * @param body the body if it has been read already
   * @param usage reads the cost from the answer
   */
  Future<End> forward(
      HttpServerRequest request,
      Optional<Buffer> body,
      Asked asked,
      Decision decision,
      Optional<Usage> usage) {
    Upstream upstream = asked.upstream();
    return open(asked, ForwardedHeaders.of(request, asked))
        .compose(sending -> new Exchange(
                vertx,
                request,
                sending.request(),
                upstream.maxBodyBytes(),
                upstream.timeoutMillis(),
                usage)
            .run(body, headers -> DecisionAnswers.addHeaders(decision, headers))
            .onComplete(end -> sending.share().free()))
        .map(done -> new End(true, true))
        .recover(error -> {
          boolean wasSent =
              !(error instanceof NotSentException) && !(error instanceof RefusedException);
          return fail(request, upstream, decision, error).map(told -> new End(wasSent, false));
        });
  }

  /**
   * The end of a forwarded request.
   *
   * @param wasSent whether the upstream may have seen the request
   * @param isWhole whether the whole answer was read
   */
  record End(boolean wasSent, boolean isWhole) {}

  /** Answers a request that the upstream did not answer. */
  Future<Void> fail(
      HttpServerRequest request, Upstream upstream, Decision decision, Throwable error) {
    HttpServerResponse response = request.response();
    if (response.closed() || response.ended()) {
      return Future.succeededFuture();
    }
    if (response.headWritten()) {
      // The head is written: only a reset shows the caller that the body is incomplete.
      return response.reset().mapEmpty();
    }
    ProblemDetails problem = problem(upstream, error);
    keepOwn(response.headers());
    // The upstream's reason phrase may be set already, and would not match the new status.
    response.setStatusMessage(HttpResponseStatus.valueOf(problem.status()).reasonPhrase());
    DecisionAnswers.addHeaders(decision, response.headers());
    return EarlyAnswer.send(vertx, request, problem);
  }

  // Removes the upstream's headers; the node's Date, and Connection while it stops, stay.
  static void keepOwn(MultiMap headers) {
    MultiMap own = MultiMap.caseInsensitiveMultiMap();
    for (CharSequence name : List.of(HttpHeaders.DATE, HttpHeaders.CONNECTION)) {
      String value = headers.get(name);
      if (value != null) {
        own.set(name, value);
      }
    }
    headers.clear().addAll(own);
  }

  /** There was no connection to the upstream: it has not seen the request. */
  public static final class NotSentException extends Exception {
    private static final long serialVersionUID = 1L;

    NotSentException(Throwable why) {
      super(null, why, false, false);
    }
  }

  /** The problem to answer with if the upstream gave no answer. */
  public ProblemDetails problem(Upstream upstream, Throwable error) {
    if (error instanceof RefusedException refusal) {
      return refusal.problem();
    }
    boolean wasSent = !(error instanceof NotSentException);
    Throwable cause = wasSent || error.getCause() == null ? error : error.getCause();
    log(upstream, cause);
    return kind(cause).with("sent", wasSent);
  }

  // Without the error's message: it may contain the whole URI, with secrets of the caller. At most
  // once a second, as callers decide how often it happens.
  private void log(Upstream upstream, Throwable cause) {
    long now = System.nanoTime();
    if (now - loggedNanos < LOG_EVERY_NANOS) {
      notLogged++;
      return;
    }
    LOG.warn(
        "upstream {}: {} (and {} failures since the last line)",
        upstream.uri().getAuthority(),
        cause.getClass().getSimpleName(),
        notLogged);
    loggedNanos = now;
    notLogged = 0;
  }

  private static ProblemDetails kind(Throwable cause) {
    if (cause instanceof TimeoutException || cause instanceof ConnectTimeoutException) {
      return TIMEOUT;
    }
    return cause instanceof InvalidAnswerException
            || cause instanceof IllegalArgumentException
            || cause instanceof DecoderException
        ? INVALID
        : UNREACHABLE;
  }

  private static RequestOptions options(Asked asked, MultiMap headers) {
    Upstream upstream = asked.upstream();
    boolean isTls = "https".equals(upstream.uri().getScheme());
    int port = upstream.uri().getPort() >= 0 ? upstream.uri().getPort() : isTls ? 443 : 80;
    return new RequestOptions()
        .setMethod(HttpMethod.valueOf(asked.request().method()))
        .setURI(asked.request().target())
        .setHost(upstream.uri().getHost())
        .setPort(port)
        .setSsl(isTls)
        .setConnectTimeout(upstream.connectTimeoutMillis())
        .setHeaders(headers);
  }
}
