package io.weir.benchmarks.http;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.concurrent.CountDownLatch;

/** The baseline for Weir over HTTP: the least that Vert.x does, on one event loop. */
public final class PlainServer {
  private static final String LOOPBACK = "127.0.0.1";
  private static final int MAX_CONNECTIONS = 256;
  private static final String HELLO = "{\"hello\":\"world\"}";

  private PlainServer() {}

  /**
   * Serves until the process ends.
   *
   * @param upstream the port to forward to; 0 to answer each request with the same few bytes
   */
  public static void serve(int port, int upstream) throws InterruptedException {
    Vertx vertx =
        Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true));
    HttpServerOptions least = new HttpServerOptions()
        .setHttp2ClearTextEnabled(false)
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false);
    vertx
        .createHttpServer(least)
        .requestHandler(upstream == 0 ? PlainServer::hello : proxy(vertx, upstream))
        .listen(port, LOOPBACK)
        .toCompletionStage()
        .toCompletableFuture()
        .join();
    new CountDownLatch(1).await();
  }

  private static void hello(HttpServerRequest request) {
    request.response().putHeader(HttpHeaders.CONTENT_TYPE, "application/json").end(HELLO);
  }

  private static Handler<HttpServerRequest> proxy(Vertx vertx, int upstream) {
    HttpClient client = vertx.createHttpClient(
        new HttpClientOptions(), new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS));
    return request -> {
      request.pause();
      RequestOptions options = new RequestOptions()
          .setMethod(request.method())
          .setURI(request.uri())
          .setHost(LOOPBACK)
          .setPort(upstream)
          .setHeaders(MultiMap.caseInsensitiveMultiMap().addAll(request.headers()));
      client
          .request(options)
          .compose(outgoing -> outgoing.send(request))
          .compose(answer -> relay(answer, request.response()))
          .onFailure(error -> request.response().reset());
    };
  }

  private static Future<Void> relay(HttpClientResponse answer, HttpServerResponse response) {
    response.setStatusCode(answer.statusCode()).headers().addAll(answer.headers());
    return response.send(answer);
  }
}
