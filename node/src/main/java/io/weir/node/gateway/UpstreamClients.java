package io.weir.node.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;

/** Makes the clients that talk to upstreams: all of them read answers alike. */
public final class UpstreamClients {
  private UpstreamClients() {}

  /**
   * A client with connections of its own.
   *
   * @param connections at most, to each upstream
   * @param waiting requests that may wait for one of them
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
