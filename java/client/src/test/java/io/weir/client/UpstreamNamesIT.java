package io.weir.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.ext.web.client.WebClient;
import io.weir.client.batch.BatchClient;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import io.weir.client.retry.UpstreamState;
import io.weir.client.vertx.RetryingWebClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Breakers and budgets belong to an origin, however its address is spelled. */
@Timeout(30)
final class UpstreamNamesIT {
  private final ConcurrentLinkedQueue<String> appeared = new ConcurrentLinkedQueue<>();
  private final RetryListener listener = new RetryListener() {
    @Override
    public void upstreamAppeared(UpstreamState upstream) {
      appeared.add(upstream.name());
    }
  };

  @Test
  void anOriginIsOneUpstreamWithItsUsualPortOrWithout() throws Exception {
    HttpClient client =
        RetryingHttpClient.wrap(HttpClient.newHttpClient(), RetryOptions.NONE, listener);
    for (String spelling :
        List.of("http://127.0.0.1/a", "http://127.0.0.1:80/b", "HTTP://127.0.0.1")) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(spelling)).build();
      end(client.sendAsync(request, BodyHandlers.discarding()));
    }
    assertThat(appeared).containsExactly("http://127.0.0.1");
  }

  @Test
  void anOriginIsOneUpstreamWhateverTheCaseOfItsHost() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer((turn, exchange) -> ScriptedServer.answer(exchange, 200, "done"))) {
      HttpClient client =
          RetryingHttpClient.wrap(HttpClient.newHttpClient(), RetryOptions.NONE, listener);
      int port = server.uri("/").getPort();
      for (String host : List.of("localhost", "LocalHost")) {
        URI uri = URI.create("http://%s:%d/".formatted(host, port));
        client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding());
      }
      assertThat(appeared).containsExactly("http://localhost:" + port);
    }
  }

  @Test
  void theNodesOfBatchesAreNamedByTheirOrigin() throws Exception {
    Retryer retryer = Retryer.of(RetryOptions.NONE, listener);
    for (String node : List.of("http://127.0.0.1:80", "HTTP://127.0.0.1/")) {
      end(new BatchClient(HttpClient.newHttpClient(), retryer, List.of(URI.create(node)))
          .run("{\"items\":[]}"));
    }
    assertThat(appeared).containsExactly("http://127.0.0.1");
  }

  @Test
  void vertxRequestsAreNamedByTheirOrigin() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      WebClient client = WebClient.create(vertx);
      RetryingWebClient retrying = RetryingWebClient.of(vertx, RetryOptions.NONE, listener);
      for (String spelling :
          List.of("http://127.0.0.1/a", "http://127.0.0.1:80/", "https://127.0.0.1")) {
        end(retrying.send(client.getAbs(spelling)).toCompletionStage().toCompletableFuture());
      }
      assertThat(appeared).containsExactly("http://127.0.0.1", "https://127.0.0.1");
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
  }

  // Most machines have no server on these ports; the answer does not matter.
  private static void end(CompletableFuture<?> sent) throws Exception {
    sent.handle((answer, error) -> true).get(10, TimeUnit.SECONDS);
  }
}
