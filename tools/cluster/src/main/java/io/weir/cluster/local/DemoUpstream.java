package io.weir.cluster.local;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.TimeUnit;

/** The upstream of a demo: it answers every request with a description of it. */
public final class DemoUpstream implements AutoCloseable {
  private static final long TIMEOUT_SECONDS = 10;

  private final Vertx vertx;

  private DemoUpstream(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Starts it on the loopback address. */
  public static DemoUpstream start(int port) {
    return start("127.0.0.1", port);
  }

  /** Starts it on an address of this machine. */
  public static DemoUpstream start(String host, int port) {
    Vertx vertx = Vertx.vertx();
    DemoUpstream upstream = new DemoUpstream(vertx);
    vertx
        .createHttpServer()
        .requestHandler(DemoUpstream::answer)
        .listen(port, host)
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .join();
    return upstream;
  }

  @Override
  public void close() {
    vertx
        .close()
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .join();
  }

  private static void answer(HttpServerRequest request) {
    request
        .body()
        .onSuccess(body -> request
            .response()
            .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
            .end(new JsonObject()
                .put("method", request.method().name())
                .put("path", request.path())
                .put("subject", request.getHeader("X-Weir-Subject"))
                .put("bodyBytes", body.length())
                .toBuffer()));
  }
}
