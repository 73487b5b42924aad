package io.weir.cluster.local;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.node.auth.KeyHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sends requests for one key to nodes over HTTP, in turn. */
public final class KeyClient {
  static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(30);

  private final HttpClient client;
  private final List<String> nodes;
  private final DemoKey key;

  /** @param connections the most connections to each node */
  KeyClient(Vertx vertx, List<String> nodes, DemoKey key, int connections) {
    this.nodes = nodes;
    this.key = key;
    this.client = vertx.createHttpClient(
        new HttpClientOptions(), new PoolOptions().setHttp1MaxSize(connections));
  }

  /**
   * An answer.
   *
   * @param status of HTTP; 0 if there was no answer
   * @param retryAfterMillis the exact wait; 0 if there is none
   * @param retryAfterSeconds the wait in the standard header
   */
  public record Answer(
      int status, long retryAfterMillis, long retryAfterSeconds, Optional<String> ticket) {
    static final Answer NONE = new Answer(0, 0, 0, Optional.empty());

    /** Whether the request passed. */
    public boolean isAdmitted() {
      return status / 100 == 2;
    }

    /** Whether it was rejected with a wait. */
    public boolean isRejected() {
      return status == 429;
    }
  }

  /** Sends a request to one of the nodes, in turn. */
  Future<Answer> ask(int turn, boolean wantsTicket, Optional<String> ticket) {
    RequestOptions options = new RequestOptions()
        .setMethod(HttpMethod.valueOf(key.method()))
        .setAbsoluteURI(nodes.get(turn % nodes.size()) + key.path())
        .setTimeout(REQUEST_TIMEOUT.toMillis())
        .putHeader(KeyHeaders.HEADER, key.key());
    if (wantsTicket) {
      options.putHeader("Prefer", "retry-ticket");
    }
    ticket.ifPresent(text -> options.putHeader("Retry-Ticket", text));
    return client.request(options).compose(KeyClient::send).otherwise(Answer.NONE);
  }

  private static Future<Answer> send(HttpClientRequest request) {
    return request
        .send()
        .compose(response -> response
            .end()
            .map(new Answer(
                response.statusCode(),
                number(response.getHeader("Retry-After-Ms")),
                number(response.getHeader("Retry-After")),
                Optional.ofNullable(response.getHeader("Retry-Ticket")))));
  }

  private static long number(@Nullable String text) {
    return text == null ? 0 : Long.parseLong(text);
  }
}
