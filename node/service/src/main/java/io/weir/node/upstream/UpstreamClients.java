package io.weir.node.upstream;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;

/** Makes the HTTP clients for upstreams, so that all of them read answers alike. */
public final class UpstreamClients {
  private UpstreamClients() {}

  /**
   * A client with its own connections.
   *
   * @param connections the most connections to each upstream
   * @param waiting the most requests that may wait for a connection
   */
  public static HttpClient of(Vertx vertx, int connections, int waiting) {
    return vertx
        .httpClientBuilder()
        .with(new HttpClientOptions())
        .with(new PoolOptions().setHttp1MaxSize(connections).setMaxWaitQueueSize(waiting))
        .withConnectHandler(InterimAnswers::skip)
        .build();
  }
}
