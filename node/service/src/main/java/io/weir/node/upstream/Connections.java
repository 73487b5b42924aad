package io.weir.node.upstream;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.weir.core.policy.Upstream;
import io.weir.node.admission.Request;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.metrics.HttpMeters;
import java.util.function.Consumer;

/**
 * Opens requests to servers. One for each event loop: a key may have half of its connections, a tenant three quarters.
 * Mutable; owned by its event loop.
 */
public final class Connections {
  private static final int MAX_CONNECTIONS = 256;
  private static final ProblemDetails TOO_MANY = ProblemDetails.of(
      429, "requests_in_flight", "Too many requests of this key or tenant are under way");
  private static final ProblemDetails OVERLOADED =
      ProblemDetails.of(503, "node_overloaded", "Too many requests are under way on this node");

  private final HttpClient client;
  private final Consumer<HttpClientRequest> observer;
  private final Bulkhead shares;

  /** Connections for requests of callers. */
  public Connections(Vertx vertx, HttpMeters meters) {
    this(
        UpstreamClients.of(vertx, MAX_CONNECTIONS, MAX_CONNECTIONS),
        request -> time(request, meters),
        new Bulkhead(MAX_CONNECTIONS / 2, MAX_CONNECTIONS * 3 / 4, MAX_CONNECTIONS));
  }

  private Connections(HttpClient client, Consumer<HttpClientRequest> observer, Bulkhead shares) {
    this.client = client;
    this.observer = observer;
    this.shares = shares;
  }

  /**
   * Connections for requests of the node's own, which no key shares.
   *
   * @param connections the most connections to each server
   * @param waiting the most requests that may wait for a connection
   */
  public static Connections own(Vertx vertx, int connections, int waiting) {
    return new Connections(
        UpstreamClients.of(vertx, connections, waiting),
        request -> {},
        new Bulkhead(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE));
  }

  /** Closes them. */
  public Future<Void> close() {
    return client.close();
  }

  /**
   * A request on an open connection. Nothing is sent yet.
   *
   * @param portion of the connections; the receiver frees it
   */
  record Opened(HttpClientRequest request, Portion portion) {}

  /** Throws {@link RefusedException} if the subject's part of the connections is in use. */
  void require(OutgoingRequest request) {
    take(request).free();
  }

  private Portion take(OutgoingRequest request) {
    return shares
        .tryTake(request.caller().key(), request.caller().tenant(), 1)
        .orElseThrow(() -> new RefusedException(shares.isFull() ? OVERLOADED : TOO_MANY));
  }

  /**
   * Opens a request.
   *
   * @return fails with {@link RefusedException} if the subject's part of the connections is in use, or with {@link
   *     NotSentException}
   */
  Future<Opened> open(OutgoingRequest request, SendSlot slot) {
    Portion portion = take(request);
    return Future.succeededFuture()
        .compose(begun -> client.request(
            options(request.request(), slot.server(), slot.headers(request.headers()))))
        // The future reports failures; without a handler Vert.x would log them too.
        .map(opened -> new Opened(observed(opened.exceptionHandler(failed -> {})), portion))
        .recover(error -> {
          portion.free();
          return Future.failedFuture(new NotSentException(error));
        });
  }

  private HttpClientRequest observed(HttpClientRequest request) {
    observer.accept(request);
    return request;
  }

  private static void time(HttpClientRequest request, HttpMeters meters) {
    long begun = System.nanoTime();
    request
        .response()
        .onSuccess(head -> meters.forwarded(head.statusCode(), System.nanoTime() - begun));
  }

  private static RequestOptions options(Request request, Upstream server, MultiMap headers) {
    boolean isTls = "https".equals(server.uri().getScheme());
    int port = server.uri().getPort() >= 0 ? server.uri().getPort() : isTls ? 443 : 80;
    return new RequestOptions()
        .setMethod(HttpMethod.valueOf(request.method()))
        .setURI(request.target())
        .setHost(server.uri().getHost())
        .setPort(port)
        .setSsl(isTls)
        .setConnectTimeout(server.connectTimeoutMillis())
        .setHeaders(headers);
  }
}
