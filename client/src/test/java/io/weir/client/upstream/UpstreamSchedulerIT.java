package io.weir.client.upstream;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import io.weir.client.ScriptedServer;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Turns at a node that answers as a test wants. */
final class UpstreamSchedulerIT {
  private static final String TOKEN = "the-service-token";

  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final CountDownLatch isHeld = new CountDownLatch(1);
  private final RetryOptions options =
      RetryOptions.DEFAULT.with(o -> o.attempts(3).initialBackoff(Duration.ofMillis(1)));
  private ScriptedServer server;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer((turn, exchange) -> {
      String path = exchange.getRequestURI().getPath();
      assertThat(exchange.getRequestHeaders().getFirst("Authorization"))
          .isEqualTo(path.startsWith("/v1/") ? "Bearer " + TOKEN : "Bearer secret of k1");
      if (path.startsWith("/v1/permits/")) {
        told.add(path + " of " + exchange.getRequestHeaders().getFirst("Content-Length"));
        ScriptedServer.answer(exchange, 200, "{}");
      } else if (path.equals("/v1/permits")) {
        permit(turn, exchange);
      } else {
        provide(path, exchange);
      }
    });
  }

  private void permit(int turn, HttpExchange exchange) throws IOException {
    if (turn == 0) {
      ScriptedServer.answer(exchange, 503, "{}", "Retry-After-Ms", "1", "Retry-After", "1");
      return;
    }
    ScriptedServer.answer(
        exchange,
        201,
        "{}",
        "Location",
        "/v1/permits/p" + turn,
        "Weir-Provider",
        "ours",
        "Weir-Provider-Url",
        server.uri("").toString(),
        "Weir-Provider-Key",
        "k1",
        "Weir-Lease-Ms",
        "30");
  }

  private void provide(String path, HttpExchange exchange) throws IOException {
    switch (path) {
      case "/busy" -> ScriptedServer.answer(exchange, 429, "", "Retry-After", "3");
      case "/breaks" -> exchange.close();
      case "/hangs" -> {
        try {
          assertThat(isHeld.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      default -> ScriptedServer.answer(exchange, 200, "fine");
    }
  }

  @AfterEach
  void stop() {
    isHeld.countDown();
    server.close();
  }

  private UpstreamScheduler scheduler(URI... nodes) {
    return new UpstreamScheduler(
        HttpClient.newHttpClient(),
        Retryer.of(options, RetryListener.NONE),
        SchedulerOptions.of(List.of(nodes), TOKEN, "rpc"));
  }

  private CompletableFuture<HttpResponse<String>> send(String path) {
    return scheduler(URI.create("http://127.0.0.1:1"), server.uri(""))
        .send(
            permit -> HttpRequest.newBuilder(permit.url().resolve(path))
                .header("Authorization", "Bearer secret of " + permit.key())
                .build(),
            BodyHandlers.ofString());
  }

  private String released() throws InterruptedException {
    String word = "";
    while (!word.contains("/release")) {
      word = requireNonNull(told.poll(20, TimeUnit.SECONDS));
    }
    return word;
  }

  private static int length(String json) {
    return json.getBytes(StandardCharsets.UTF_8).length;
  }

  @Test
  void itWaitsForItsTurnSendsAndTellsHowItWent() throws Exception {
    assertThat(send("/fine").get(20, TimeUnit.SECONDS).body()).isEqualTo("fine");
    assertThat(released()).startsWith("/v1/permits/p1/release of ");
    assertThat(server.requests.get(0)).isNotNull();
  }

  @Test
  void whatTheProviderNamesIsTold() throws Exception {
    assertThat(send("/busy").get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(429);
    int most =
        length("{\"status\":429,\"retryAfterMs\":3000,\"latencyMs\":99999,\"group\":\"default\"}");
    int least =
        length("{\"status\":429,\"retryAfterMs\":3000,\"latencyMs\":0,\"group\":\"default\"}");
    String word = released();
    assertThat(Integer.parseInt(word.substring(word.lastIndexOf(' ') + 1))).isBetween(least, most);
  }

  @Test
  void whatBreaksIsTold() throws Exception {
    assertThatThrownBy(() -> send("/breaks").get(20, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class);
    assertThat(released()).isNotEmpty();
  }

  @Test
  void aTurnIsRenewedWhileItIsUsedAndGivenBackWhereTheCallerGivesUp() throws Exception {
    CompletableFuture<HttpResponse<String>> sent = send("/hangs");
    for (int i = 0; i < 3; i++) {
      assertThat(told.poll(20, TimeUnit.SECONDS)).contains("/renew");
    }
    sent.cancel(true);
    assertThat(released()).isNotEmpty();
  }

  @Test
  void aRequestThatCannotBeMadeGivesTheTurnBack() throws Exception {
    CompletableFuture<HttpResponse<String>> sent = scheduler(server.uri(""))
        .send(
            permit -> {
              throw new IllegalStateException("no secret");
            },
            BodyHandlers.ofString());
    assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS)).hasMessageContaining("no secret");
    assertThat(released()).isNotEmpty();
  }

  @Test
  void whereThereIsNoTurnItSaysSo() throws IOException {
    try (ScriptedServer full = new ScriptedServer((turn, exchange) ->
        ScriptedServer.answer(exchange, 404, "{\"code\":\"upstream_unknown\"}"))) {
      assertThatThrownBy(() -> scheduler(full.uri("")).take().get(20, TimeUnit.SECONDS))
          .hasRootCauseInstanceOf(NoPermitException.class)
          .hasMessageContaining("404")
          .hasMessageContaining("upstream_unknown");
    }
  }

  @Test
  void optionsAreChecked() {
    List<URI> nodes = List.of(URI.create("http://127.0.0.1:1"));
    assertThatThrownBy(() -> SchedulerOptions.of(List.of(), TOKEN, "rpc"))
        .hasMessageContaining("at least 1");
    assertThatThrownBy(() -> SchedulerOptions.of(nodes, TOKEN, "a\"b"))
        .hasMessageContaining("a\"b");
    assertThatThrownBy(() -> new SchedulerOptions(nodes, TOKEN, "a", "b", Duration.ofMinutes(2)))
        .hasMessageContaining("PT2M");
    assertThat(SchedulerOptions.of(nodes, TOKEN, "rpc").toString()).doesNotContain(TOKEN);
  }
}
