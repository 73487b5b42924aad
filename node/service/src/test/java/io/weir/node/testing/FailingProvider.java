package io.weir.node.testing;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A provider that fails as a test wants. Safe for use by many threads. */
public final class FailingProvider {
  private final Vertx vertx;
  private final int port;
  private final Set<HttpConnection> connections = ConcurrentHashMap.newKeySet();
  private volatile Fault fault = Fault.NONE;
  private volatile HttpServer server;

  /** Requests received, without health checks. */
  public final AtomicInteger asked = new AtomicInteger();

  /** The way it fails. */
  public enum Fault {
    NONE,
    ERRORS,
    UNAVAILABLE,
    TIMES_OUT,
    HANGS,
    DROPS,
    REFUSES
  }

  public FailingProvider(Vertx vertx) {
    this.vertx = vertx;
    this.server = listen(0);
    this.port = server.actualPort();
  }

  private HttpServer listen(int at) {
    return vertx
        .createHttpServer()
        .connectionHandler(connection -> {
          connections.add(connection);
          connection.closeHandler(closed -> connections.remove(connection));
        })
        .requestHandler(request -> request.body().onSuccess(body -> answer(request)))
        .listen(at, "127.0.0.1")
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  public int port() {
    return port;
  }

  /** Sets the fault from now on. */
  public void fails(Fault as) {
    if (as == Fault.REFUSES) {
      Future<Void> closed = server.close();
      connections.forEach(connection -> connection.close());
      closed.toCompletionStage().toCompletableFuture().join();
    } else if (fault == Fault.REFUSES) {
      server = listen(port);
    }
    fault = as;
  }

  private void answer(HttpServerRequest request) {
    if (!request.path().equals("/health")) {
      asked.incrementAndGet();
    }
    switch (fault) {
      case ERRORS -> request.response().setStatusCode(500).end("no");
      case UNAVAILABLE -> request.response().setStatusCode(503).end("no");
      case TIMES_OUT -> request.response().setStatusCode(504).end("no");
      case DROPS -> request.connection().close();
      case HANGS -> {}
      default ->
        request.response().putHeader("Content-Type", "application/json").end("{\"result\":1}");
    }
  }
}
