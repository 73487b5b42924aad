package io.weir.whole.designs;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A provider that can die, and refuse its first key. Safe for use by many threads. */
final class DesignProvider {
  private static final int WORK_MILLIS = 30;
  private static final int TOKENS = 100;

  private final Vertx vertx;
  private final String name;
  private final Shared shared;
  private final Set<HttpConnection> connections = ConcurrentHashMap.newKeySet();
  private final int port;
  private volatile HttpServer server;
  private volatile boolean refusesKey;
  private int life;
  private int underWay;

  /** Requests under way at an instant. */
  record Level(long atNanos, int requests) {}

  /** What the providers of one design saw. */
  static final class Shared {
    final AtomicInteger underWay = new AtomicInteger();
    final AtomicInteger refused = new AtomicInteger();
    final Map<String, Integer> uses = new ConcurrentHashMap<>();
    final Map<Long, Integer> executions = new ConcurrentHashMap<>();
    final Queue<Long> sends = new ConcurrentLinkedQueue<>();
    final Queue<Level> levels = new ConcurrentLinkedQueue<>();
  }

  DesignProvider(Vertx vertx, String name, Shared shared) {
    this.vertx = vertx;
    this.name = name;
    this.shared = shared;
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
        .requestHandler(request -> request.body().onSuccess(body -> {
          if (request.path().equals("/health") || request.path().equals("/ready")) {
            request.response().end();
          } else {
            serve(request, body.toJsonObject());
          }
        }))
        .listen(at, "127.0.0.1")
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  int port() {
    return port;
  }

  void die() {
    synchronized (this) {
      life++;
      shared.underWay.addAndGet(-underWay);
      underWay = 0;
    }
    Future<Void> closed = server.close();
    connections.forEach(HttpConnection::close);
    closed.toCompletionStage().toCompletableFuture().join();
  }

  void comeBack() {
    server = listen(port);
  }

  void refuseKey(boolean refuses) {
    refusesKey = refuses;
  }

  private void serve(HttpServerRequest request, JsonObject body) {
    String key = request.headers().contains("X-Key-1")
        ? "1"
        : request.headers().contains("X-Key-2") ? "2" : "-";
    if (refusesKey && key.equals("1")) {
      shared.refused.incrementAndGet();
      request.response().setStatusCode(401).end("no such key");
      return;
    }
    shared.sends.add(System.nanoTime());
    shared.uses.merge(name + "/" + key, 1, Integer::sum);
    long number = body.getLong("id");
    shared.executions.merge(number, 1, Integer::sum);
    int begun = begin();
    vertx.setTimer(WORK_MILLIS, due -> {
      if (end(begun)) {
        request
            .response()
            .putHeader("Content-Type", "application/json")
            .end(answer(number, key).toBuffer());
      }
    });
  }

  private JsonObject answer(long number, String key) {
    return new JsonObject()
        .put("result", "of " + number)
        .put("by", name + "/" + key)
        .put(
            "usage",
            new JsonObject()
                .put("prompt_tokens", TOKENS / 5)
                .put("completion_tokens", TOKENS - TOKENS / 5)
                .put("total_tokens", TOKENS));
  }

  private synchronized int begin() {
    underWay++;
    shared.levels.add(new Level(System.nanoTime(), shared.underWay.incrementAndGet()));
    return life;
  }

  // Before the answer, because a node counts the request until then. Requests end with the
  // provider, too.
  private synchronized boolean end(int begun) {
    if (begun == life) {
      underWay--;
      shared.underWay.decrementAndGet();
    }
    return begun == life;
  }
}
