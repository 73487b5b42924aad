package io.weir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.client.retry.RetryLaterException;
import io.weir.client.retry.RetryOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The wrapped JDK client against servers without any knowledge of Weir. */
@Timeout(30)
@Tag("jdk")
final class RetryingHttpClientIT {
  private static final RetryOptions FAST =
      RetryOptions.DEFAULT.with(o -> o.initialBackoff(Duration.ofMillis(5)));

  private final RetryingHttpClient client =
      RetryingHttpClient.wrap(HttpClient.newHttpClient(), FAST);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Retry-After | 1                             | 1000",
        "Retry-After | Thu, 01 Jan 2026 00:00:00 GMT | 0",
        "Retry-After | when it suits                 | 0",
        "X-Other     | 1                             | 0",
      })
  void theWaitOfAServerIsAFloor(String header, String value, long leastMillis) throws Exception {
    try (ScriptedServer server = oneThen200(503, header, value)) {
      HttpResponse<String> answer = client.send(get(server), BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("done");
      long waited = server.cameNanos.get(1) - server.cameNanos.get(0);
      assertThat(TimeUnit.NANOSECONDS.toMillis(waited)).isGreaterThanOrEqualTo(leastMillis);
    }
  }

  @Test
  void aDateIsAFloorToo() throws Exception {
    Instant then = Clock.systemUTC().instant().plusSeconds(2);
    String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(then.atOffset(ZoneOffset.UTC));
    try (ScriptedServer server = oneThen200(429, "Retry-After", date)) {
      assertThat(client.send(get(server), BodyHandlers.discarding()).statusCode())
          .isEqualTo(200);
      long waited = server.cameNanos.get(1) - server.cameNanos.get(0);
      assertThat(waited).isGreaterThanOrEqualTo(Duration.ofSeconds(1).toNanos());
    }
  }

  @ParameterizedTest
  @CsvSource({"10000, 200", "300000, 429"})
  void aStreamIsReadOnceAndSentAgainOnlyWhole(int length, int status) throws Exception {
    try (ScriptedServer server = oneThen200(429, "Retry-After-Ms", "1")) {
      InputStream stream = new ByteArrayInputStream(new byte[length]);
      HttpRequest request = HttpRequest.newBuilder(server.uri("/"))
          .POST(BodyPublishers.ofInputStream(() -> stream))
          .build();
      assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(status);
      assertThat(server.bodyLengths).containsOnly(length).hasSize(status == 200 ? 2 : 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void theBodyOfADiscardedAnswerIsNotAwaited(boolean isEndless) throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      if (turn > 0) {
        ScriptedServer.answer(exchange, 200, "done");
        return;
      }
      exchange.sendResponseHeaders(503, 0);
      exchange.getResponseBody().write(new byte[100]);
      exchange.getResponseBody().flush();
      try {
        while (!over.await(1, TimeUnit.MILLISECONDS)) {
          if (isEndless) {
            exchange.getResponseBody().write(new byte[8192]);
          }
        }
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    })) {
      assertThat(client.send(get(server), BodyHandlers.ofString()).body()).isEqualTo("done");
      assertThat(client
              .sendAsync(get(server), BodyHandlers.ofString())
              .get(20, TimeUnit.SECONDS)
              .body())
          .isEqualTo("done");
      over.countDown();
    }
  }

  @Test
  void aWebSocketIsOpenedAsByTheWrappedClient() {
    assertThat(client.newWebSocketBuilder()).isNotNull();
  }

  @Test
  void aHugeWaitFailsAtOnce() throws Exception {
    try (ScriptedServer server = oneThen200(429, "Retry-After", "99999999999")) {
      assertThatThrownBy(() -> client.send(get(server), BodyHandlers.ofString()))
          .isInstanceOfSatisfying(
              RetryLaterException.class,
              later -> assertThat(later.retryAfter()).isEqualTo(Duration.ofDays(100_000)));
      assertThat(server.requests).hasSize(1);
    }
  }

  @Test
  void onlyTheAnswerThatIsGivenReachesTheBodyHandler() throws Exception {
    AtomicInteger handled = new AtomicInteger();
    BodyHandler<String> handler = head -> {
      handled.incrementAndGet();
      return BodyHandlers.ofString().apply(head);
    };
    try (ScriptedServer server = new ScriptedServer((turn, exchange) ->
        ScriptedServer.answer(exchange, turn < 3 ? 500 : 404, "body " + turn))) {
      HttpResponse<String> answer = client.send(get(server), handler);
      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.body()).isEqualTo("body 3");
      assertThat(handled).hasValue(1);
    }
  }

  @Test
  void theLastAnswerIsGivenWhenNoAttemptIsLeft() throws Exception {
    try (ScriptedServer server = new ScriptedServer(
        (turn, exchange) -> ScriptedServer.answer(exchange, 502, "body " + turn))) {
      HttpResponse<String> answer = client.send(get(server), BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(502);
      assertThat(answer.body()).isEqualTo("body 4");
      assertThat(server.requests).hasSize(5);
    }
  }

  @Test
  void aBrokenConnectionIsTriedAgainWhereThatIsHarmless() throws Exception {
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      if (turn == 1 || turn == 3) {
        ScriptedServer.answer(exchange, 200, "done");
      } // otherwise it closes the connection
    })) {
      HttpRequest plain = HttpRequest.newBuilder(server.uri("/x"))
          .POST(BodyPublishers.ofString("a"))
          .build();
      assertThatThrownBy(() -> client.send(plain, BodyHandlers.ofString()))
          .isInstanceOf(IOException.class);
      assertThat(server.requests).hasSize(1);
      server.requests.clear();
      HttpRequest keyed = HttpRequest.newBuilder(server.uri("/x"))
          .header("Idempotency-Key", "k")
          .POST(BodyPublishers.ofString("a"))
          .build();
      assertThat(client.send(keyed, BodyHandlers.ofString()).body()).isEqualTo("done");
      assertThat(server.requests).hasSize(2);
    }
  }

  @Test
  void aTicketIsAskedForAndShown() throws Exception {
    try (ScriptedServer server =
        oneThen200(429, "Retry-After-Ms", "5", "Retry-Ticket", "0000.abc")) {
      HttpRequest request = HttpRequest.newBuilder(server.uri("/x"))
          .header("Prefer", "return=minimal")
          .POST(BodyPublishers.ofString("a"))
          .build();
      assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
      assertThat(server.requests.get(0).get("Prefer"))
          .isEqualTo(List.of("return=minimal", "retry-ticket"));
      assertThat(server.requests.get(0).get("Retry-Ticket")).isNull();
      assertThat(server.requests.get(1).get("Retry-Ticket")).isEqualTo(List.of("0000.abc"));
    }
  }

  @Test
  void disabledItIsTheClientThatItWraps() throws Exception {
    RetryingHttpClient plain =
        RetryingHttpClient.wrap(HttpClient.newHttpClient(), RetryOptions.NONE);
    try (ScriptedServer server = oneThen200(503, "Retry-After", "1")) {
      assertThat(plain.send(get(server), BodyHandlers.discarding()).statusCode())
          .isEqualTo(503);
      assertThat(server.requests.get(0).get("Prefer")).isNull();
    }
  }

  @Test
  void anUnreachableServerIsAConnectException() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/")).build();
    assertThatThrownBy(() -> client.send(request, BodyHandlers.discarding()))
        .isInstanceOf(ConnectException.class);
    assertThat(client.sendAsync(request, BodyHandlers.discarding()).handle((value, error) -> error))
        .succeedsWithin(Duration.ofSeconds(10))
        .isInstanceOf(ConnectException.class);
  }

  @Test
  void theDeadlineEndsWhatIsUnderWay() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    RetryOptions options = FAST.with(o -> o.deadline(Duration.ofMillis(100)));
    RetryingHttpClient hurried = RetryingHttpClient.wrap(HttpClient.newHttpClient(), options);
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      try {
        over.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    })) {
      assertThatThrownBy(() -> hurried.send(get(server), BodyHandlers.discarding()))
          .isInstanceOf(HttpTimeoutException.class)
          .hasMessageEndingWith("/x: no answer within PT0.1S");
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
      assertThat(hurried
              .sendAsync(get(server), BodyHandlers.discarding())
              .handle((value, error) -> error))
          .succeedsWithin(Duration.ofSeconds(10))
          .isInstanceOf(HttpTimeoutException.class);
      over.countDown();
    }
  }

  @Test
  void interruptingOrCancellingEndsTheWait() throws Exception {
    try (ScriptedServer server = new ScriptedServer(
        (turn, exchange) -> ScriptedServer.answer(exchange, 503, "", "Retry-After", "20"))) {
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread caller = new Thread(() -> {
        try {
          client.send(get(server), BodyHandlers.discarding());
        } catch (IOException | InterruptedException e) {
          thrown.complete(e);
        }
      });
      caller.start();
      // The console of a test may swallow an interrupt while the thread prints a line.
      for (int i = 0; i < 600 && !thrown.isDone(); i++) {
        caller.interrupt();
        caller.join(100);
      }
      assertThat(thrown).isCompletedWithValueMatching(InterruptedException.class::isInstance);
      caller.join();
      CompletableFuture<HttpResponse<Void>> answer =
          client.sendAsync(get(server), BodyHandlers.discarding());
      assertThat(answer.cancel(true)).isTrue();
    }
  }

  private static ScriptedServer oneThen200(int status, String... headers) throws IOException {
    return new ScriptedServer((turn, exchange) -> {
      if (turn == 0) {
        ScriptedServer.answer(exchange, status, "no", headers);
      } else {
        ScriptedServer.answer(exchange, 200, "done");
      }
    });
  }

  private static HttpRequest get(ScriptedServer server) {
    return HttpRequest.newBuilder(server.uri("/x?secret=1")).build();
  }
}
