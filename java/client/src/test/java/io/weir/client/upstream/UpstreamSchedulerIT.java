package io.weir.client.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import io.weir.client.ScriptedServer;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Permits at a node that answers as a test wants. */
final class UpstreamSchedulerIT {
  private static final String TOKEN = "the-service-token";

  private final BlockingQueue<Integer> asked = new LinkedBlockingQueue<>();
  private final CountDownLatch isHeld = new CountDownLatch(1);
  private final RetryOptions options =
      RetryOptions.DEFAULT.with(o -> o.attempts(3).initialBackoff(Duration.ofMillis(1)));
  private volatile boolean isSlow;
  private volatile int timeoutMillis = 15_000;
  private ScriptedServer server;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer((turn, exchange) -> {
      String path = exchange.getRequestURI().getPath();
      assertThat(exchange.getRequestHeaders().getFirst("Authorization"))
          .isEqualTo(path.startsWith("/v1/") ? "Bearer " + TOKEN : "Bearer secret of k1");
      if (path.startsWith("/v1/permits/")) {
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
    if (isSlow) {
      asked.add(turn);
      hold();
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
        "30",
        "Weir-Timeout-Ms",
        Integer.toString(timeoutMillis));
  }

  private void provide(String path, HttpExchange exchange) throws IOException {
    switch (path) {
      case "/busy" -> ScriptedServer.answer(exchange, 429, "", "Retry-After", "3");
      case "/breaks" -> exchange.close();
      case "/hangs" -> hold();
      case "/half" -> {
        exchange.sendResponseHeaders(200, 4);
        exchange.getResponseBody().write('f');
        exchange.getResponseBody().flush();
        throw new IOException("breaks");
      }
      case "/drips" -> {
        exchange.sendResponseHeaders(200, 4);
        exchange.getResponseBody().write('f');
        exchange.getResponseBody().flush();
        hold();
        exchange.getResponseBody().write("ine".getBytes(StandardCharsets.UTF_8));
      }
      default -> ScriptedServer.answer(exchange, 200, "fine");
    }
  }

  private void hold() {
    try {
      assertThat(isHeld.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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
    return send(path, BodyHandlers.ofString());
  }

  private <T> CompletableFuture<HttpResponse<T>> send(String path, BodyHandler<T> handler) {
    return scheduler(URI.create("http://127.0.0.1:1"), server.uri(""))
        .send(
            permit -> HttpRequest.newBuilder(permit.url().resolve(path))
                .header("Authorization", "Bearer secret of " + permit.key())
                .build(),
            handler);
  }

  private String released() throws InterruptedException {
    return server.told("/release ", 1);
  }

  @Test
  void itWaitsForItsTurnSendsAndTellsHowItWent() throws Exception {
    assertThat(send("/fine").get(20, TimeUnit.SECONDS).body()).isEqualTo("fine");
    assertThat(released()).startsWith("/v1/permits/p1/release ").contains("\"status\":200,");
  }

  @Test
  void theWaitOfTheProviderIsReported() throws Exception {
    assertThat(send("/busy").get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(429);
    assertThat(released()).contains("\"status\":429,\"headers\":{\"Retry-After\":\"3\"");
  }

  @Test
  void aBrokenExchangeIsReported() throws Exception {
    assertThatThrownBy(() -> send("/breaks").get(20, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class);
    assertThat(released()).contains("\"status\":0,");
  }

  @Test
  void aTurnIsRenewedWhileItIsUsedAndGivenBackWhereTheCallerGivesUp() throws Exception {
    CompletableFuture<HttpResponse<String>> sent = send("/hangs");
    assertThat(server.told("/renew ", 3)).startsWith("/v1/permits/p1/renew ");
    sent.cancel(true);
    assertThat(released()).contains("\"status\":499,");
  }

  @Test
  void aRequestThatCannotBeMadeGivesTheTurnBack() throws Exception {
    CompletableFuture<HttpResponse<String>> sent = scheduler(server.uri(""))
        .send(
            permit -> {
              throw new NoClassDefFoundError("no secret");
            },
            BodyHandlers.ofString());
    assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS)).hasMessageContaining("no secret");
    assertThat(released()).contains("\"status\":499,");
  }

  @Test
  void aPermitThatArrivesAfterTheCancelIsReleased() throws Exception {
    isSlow = true;
    CompletableFuture<SendPermit> turn = scheduler(server.uri("")).take();
    assertThat(asked.poll(20, TimeUnit.SECONDS)).isNotNull();
    turn.cancel(true);
    isHeld.countDown();
    assertThat(released()).startsWith("/v1/permits/p1/release ").contains("\"status\":499,");
  }

  @Test
  void aTurnEndsOnce() throws Exception {
    SendPermit permit = scheduler(server.uri("")).take().get(20, TimeUnit.SECONDS);
    permit.unused();
    permit.failed(); // too late
    assertThat(released()).contains("\"status\":499,");
    SendPermit other = scheduler(server.uri("")).take().get(20, TimeUnit.SECONDS);
    other.answered(429, name -> name.equals("RateLimit") ? List.of("\"a\";r=0;t=7") : List.of());
    assertThat(server.told("/release ", 2)).contains("\"RateLimit\":\"\\\"a\\\";r=0;t=7\"");
  }

  @Test
  void aProviderThatIsSilentHasFailed() throws Exception {
    timeoutMillis = 300;
    CompletableFuture<HttpResponse<String>> sent = send("/hangs");
    assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(HttpTimeoutException.class);
    assertThat(released()).contains("\"status\":0,");
  }

  @Test
  void anErrorOfTheProgramSaysNothingOfTheProvider() throws Exception {
    CompletableFuture<HttpResponse<String>> sent = send("/busy", info -> {
      throw new IllegalStateException("the disk is full");
    });
    assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS)).hasMessageContaining("disk");
    assertThat(released()).contains("\"status\":429,\"headers\":{\"Retry-After\":\"3\"");
  }

  @Test
  void aTurnLastsAsLongAsTheBody() throws Exception {
    try (InputStream body =
        send("/drips", BodyHandlers.ofInputStream()).get(20, TimeUnit.SECONDS).body()) {
      server.told("/renew ", 3);
      assertThat(server.told).noneMatch(word -> word.contains("/release "));
      isHeld.countDown();
      assertThat(body.readAllBytes()).asString().isEqualTo("fine");
    }
    assertThat(released()).contains("\"status\":200,");
  }

  @Test
  void aBodyThatBreaksOrStopsHasFailed() throws Exception {
    timeoutMillis = 300;
    CompletableFuture<HttpResponse<String>> stops = send("/drips");
    assertThatThrownBy(() -> stops.get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(HttpTimeoutException.class);
    assertThat(released()).contains("\"status\":0,");
    CompletableFuture<HttpResponse<String>> breaks = send("/half");
    assertThatThrownBy(() -> breaks.get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IOException.class);
    assertThat(server.told("/release ", 2)).contains("\"status\":0,");
  }

  @Test
  void aNodeThatIsGoneTakesNoTurnsFromTheOthers() {
    UpstreamScheduler scheduler = new UpstreamScheduler(
        HttpClient.newHttpClient(),
        Retryer.of(RetryOptions.INTERACTIVE, RetryListener.NONE),
        SchedulerOptions.of(
            List.of(URI.create("http://127.0.0.1:1"), server.uri("")), TOKEN, "rpc"));
    List<CompletableFuture<SendPermit>> turns =
        Stream.generate(scheduler::take).limit(30).toList();
    assertThat(turns).allSatisfy(turn -> turn.get(20, TimeUnit.SECONDS).unused());
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
    assertThatThrownBy(() -> SchedulerOptions.of(List.of(URI.create("b:8080")), TOKEN, "rpc"))
        .hasMessageContaining("b:8080");
    assertThatThrownBy(() -> SchedulerOptions.of(nodes, TOKEN, "a\"b"))
        .hasMessageContaining("a\"b");
    assertThatThrownBy(() -> new SchedulerOptions(nodes, TOKEN, "a", "b", Duration.ofMinutes(2)))
        .hasMessageContaining("PT2M");
    assertThat(SchedulerOptions.of(nodes, TOKEN, "rpc").toString()).doesNotContain(TOKEN);
    assertThatThrownBy(() -> SchedulerOptions.of(nodes, TOKEN + "\n", "rpc"))
        .hasMessageContaining("serviceToken")
        .hasMessageNotContaining(TOKEN);
  }
}
