package io.weir.client.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import io.weir.client.ScriptedServer;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import io.weir.client.window.OpenAnswer.Blocked;
import io.weir.client.window.OpenAnswer.Full;
import io.weir.client.window.OpenAnswer.NotNext;
import io.weir.client.window.OpenAnswer.Opened;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Windows at a node that answers as a test wants. */
final class WindowClientIT {
  private static final String TOKEN = "the-service-token";
  private static final String COUNTS =
      "\"window\":{\"next\":30,\"watermark\":10,\"open\":2,\"todo\":1,\"busy\":1,\"failed\":0}";
  private static final WindowCounts COUNTED = new WindowCounts(30, 10, 2, 1, 1, 0);

  private record Scripted(int status, String body, List<String> headers) {}

  private final RetryOptions options =
      RetryOptions.DEFAULT.with(o -> o.attempts(3).initialBackoff(Duration.ofMillis(1)));
  private final List<Scripted> script = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch isHeld = new CountDownLatch(1);
  private volatile boolean isSlow;
  private ScriptedServer server;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer((turn, exchange) -> answer(exchange));
  }

  // Renewals are answered well; they are no part of the script.
  private void answer(HttpExchange exchange) throws IOException {
    assertThat(exchange.getRequestHeaders().getFirst("Authorization")).isEqualTo("Bearer " + TOKEN);
    boolean isScripted = !exchange.getRequestURI().getPath().endsWith("/renew");
    Scripted next = isScripted ? script.remove(0) : new Scripted(200, "{}", List.of());
    if (isSlow && isScripted) {
      hold();
    }
    ScriptedServer.answer(
        exchange, next.status(), next.body(), next.headers().toArray(new String[0]));
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

  private WindowClient window() {
    return window(server.uri(""));
  }

  private WindowClient window(URI... nodes) {
    return new WindowClient(
        HttpClient.newHttpClient(),
        Retryer.of(options, RetryListener.NONE),
        List.of(nodes),
        TOKEN,
        "blocks");
  }

  private WindowClient answers(int status, String body, String... headers) {
    script.add(new Scripted(status, body, List.of(headers)));
    return window();
  }

  private static <T> T of(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  private static String claimed(int leaseMillis) {
    return "{\"from\":10,\"to\":19,\"claim\":\"c7\",\"attempt\":2,\"leaseMs\":" + leaseMillis + "}";
  }

  @Test
  void aPlannerIsToldWhatBecameOfARange() throws Exception {
    assertThat(of(answers(201, "{" + COUNTS + "}").open(20, 29)))
        .isEqualTo(new Opened(true, COUNTED));
    assertThat(server.told).containsExactly("/v1/windows/blocks/open {\"from\":20,\"to\":29}");
    assertThat(of(answers(200, "{" + COUNTS + "}").open(20, 29)))
        .isEqualTo(new Opened(false, COUNTED));
    assertThat(of(answers(409, "{\"code\":\"range_not_next\",\"next\":30," + COUNTS + "}")
            .open(50, 59)))
        .isEqualTo(new NotNext(COUNTED));
    assertThat(of(answers(409, "{\"code\":\"range_failed\",\"from\":10," + COUNTS + "}")
            .open(30, 39)))
        .isEqualTo(new Blocked(10, COUNTED));
  }

  @Test
  void aFullWindowIsAskedAgainAfterTheWaitAsOftenAsTheRetryerDoes() throws Exception {
    String full = "{\"code\":\"window_full\"," + COUNTS + "}";
    for (int i = 0; i < 2; i++) {
      answers(429, full, "Retry-After", "1", "Retry-After-Ms", "2");
    }
    assertThat(of(answers(201, "{" + COUNTS + "}").open(30, 39)))
        .isEqualTo(new Opened(true, COUNTED));
    for (int i = 0; i < 3; i++) {
      answers(429, full, "Retry-After", "1", "Retry-After-Ms", "2");
    }
    assertThat(of(window().open(30, 39))).isEqualTo(new Full(Duration.ofMillis(2), COUNTED));
    assertThat(server.told).hasSize(6);
  }

  @Test
  void aWorkerAsksAgainAsItIsToldUntilThereIsARange() throws Exception {
    for (int i = 0; i < 9; i++) {
      answers(204, "", "Retry-After", "1", "Retry-After-Ms", "1");
    }
    RangeClaim claim = of(answers(200, claimed(60_000)).claim());
    assertThat(server.told).hasSize(10);
    assertThat(claim.from()).isEqualTo(10);
    assertThat(claim.to()).isEqualTo(19);
    assertThat(claim.attempt()).isEqualTo(2);
    answers(200, "{\"state\":\"done\"," + COUNTS + "}");
    assertThat(of(claim.finish("a \"result\""))).isEqualTo("done");
    assertThat(server.told.get(10))
        .isEqualTo("/v1/windows/blocks/finish "
            + "{\"from\":10,\"claim\":\"c7\",\"result\":\"a \\\"result\\\"\"}");
  }

  @Test
  void aClaimIsRenewedUntilItEnds() throws Exception {
    RangeClaim claim = of(answers(200, claimed(30)).claim());
    assertThat(server.told("/renew ", 3))
        .isEqualTo("/v1/windows/blocks/renew {\"from\":10,\"claim\":\"c7\"}");
    answers(200, "{\"state\":\"todo\"," + COUNTS + "}");
    assertThat(of(claim.fail("the disk is full"))).isEqualTo("todo");
    assertThat(server.told("/fail ", 1)).contains("\"error\":\"the disk is full\"");
    assertThat(claim.isLost()).isFalse();
  }

  @Test
  void aWrongEndKeepsTheClaimAndALostOneIsSeen() throws Exception {
    RangeClaim claim = of(answers(200, claimed(60_000)).claim());
    answers(400, "{\"code\":\"window_invalid\"}");
    CompletableFuture<String> wrong = claim.finish("x".repeat(5000));
    assertThatThrownBy(() -> of(wrong))
        .cause()
        .isInstanceOfSatisfying(
            WindowException.class, error -> assertThat(error.code()).isEqualTo("window_invalid"))
        .hasMessage("finish of window blocks: 400 window_invalid");
    assertThat(claim.isLost()).isFalse();
    answers(409, "{\"code\":\"claim_lost\",\"state\":\"claimed\"}");
    CompletableFuture<String> late = claim.finish("");
    assertThatThrownBy(() -> of(late)).hasMessageContaining("409 claim_lost");
    assertThat(claim.isLost()).isTrue();
  }

  @Test
  void aRangeThatArrivesAfterTheCancelIsReleased() throws Exception {
    isSlow = true;
    CompletableFuture<RangeClaim> claim = answers(200, claimed(60_000)).claim();
    server.told("/claim ", 1);
    claim.cancel(true);
    answers(200, "{\"state\":\"todo\"," + COUNTS + "}");
    isHeld.countDown();
    assertThat(server.told("/release ", 1)).contains("\"claim\":\"c7\"");
  }

  @Test
  void resultsAreReadAndCommittedAndFailuresDecided() throws Exception {
    answers(
        200,
        "{\"width\":2,\"ranges\":[{\"from\":0,\"to\":9,\"state\":\"done\",\"attempts\":1,\"result\":\"r\"}],"
            + COUNTS
            + "}");
    assertThat(of(window().results())).containsExactly(new WindowRange(0, 9, "done", 1, "r"));
    answers(
        200,
        "{\"width\":2,\"failed\":[{\"from\":0,\"to\":9,\"state\":\"failed\",\"attempts\":4,\"error\":\"e\"}],"
            + COUNTS
            + "}");
    assertThat(of(window().state()))
        .isEqualTo(new WindowState(2, COUNTED, List.of(new WindowRange(0, 9, "failed", 4, "e"))));
    for (int i = 0; i < 4; i++) {
      answers(200, "{" + COUNTS + "}");
    }
    assertThat(of(window().commit(9))).isEqualTo(COUNTED);
    of(window().skip(10));
    of(window().retry(20));
    of(window().forget());
    assertThat(server.told.subList(2, 6))
        .containsExactly(
            "/v1/windows/blocks/commit {\"through\":9}",
            "/v1/windows/blocks/skip {\"from\":10}",
            "/v1/windows/blocks/retry {\"from\":20}",
            "/v1/windows/blocks/forget {}");
  }

  @Test
  void aNodeThatIsDownIsLeftForTheNext() throws Exception {
    answers(201, "{" + COUNTS + "}");
    WindowClient two = window(URI.create("http://127.0.0.1:1"), server.uri(""));
    assertThat(of(two.open(0, 9))).isEqualTo(new Opened(true, COUNTED));
  }

  @Test
  void aRefusalSaysWhatAndNeverTheToken() {
    CompletableFuture<OpenAnswer> unknown =
        answers(404, "{\"code\":\"window_unknown\"}").open(0, 9);
    assertThatThrownBy(() -> of(unknown))
        .hasRootCauseInstanceOf(WindowException.class)
        .hasMessageContaining("open of window blocks: 404 window_unknown");
    assertThatThrownBy(() -> new WindowClient(
            HttpClient.newHttpClient(),
            Retryer.of(options, RetryListener.NONE),
            List.of(server.uri("")),
            TOKEN + "\n",
            "blocks"))
        .hasMessageContaining("serviceToken")
        .hasMessageNotContaining(TOKEN);
    assertThatThrownBy(() -> new WindowClient(
            HttpClient.newHttpClient(),
            Retryer.of(options, RetryListener.NONE),
            List.of(server.uri("")),
            TOKEN,
            "a/b"))
        .hasMessageContaining("a/b");
  }
}
