package io.weir.client.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import io.weir.client.ScriptedServer;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Timekeeper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs at a server that answers as a test wants, with a clock in which waits take no time. */
final class JobClientIT {
  private final NoTime time = new NoTime();
  private final HttpClient client = HttpClient.newHttpClient();
  private final Random random = new Random(7);
  private final JobClient jobs =
      new JobClient(client, RetryOptions.DEFAULT, time, random::nextDouble);

  /** Records waits without waiting. */
  private static final class NoTime implements Timekeeper {
    private final List<Duration> waits = new ArrayList<>();

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public Instant now() {
      return Instant.EPOCH;
    }

    @Override
    public synchronized Runnable after(Duration wait, Runnable task) {
      waits.add(wait);
      CompletableFuture<Void> unused = CompletableFuture.runAsync(task);
      return () -> {};
    }
  }

  private static HttpRequest request(ScriptedServer server) {
    return HttpRequest.newBuilder(server.uri("/proof"))
        .header("Authorization", "Bearer key")
        .header("Content-Type", "text/plain")
        .POST(BodyPublishers.ofString("wish"))
        .build();
  }

  private static void accepted(HttpExchange exchange, String wait) throws IOException {
    ScriptedServer.answer(exchange, 202, "{}", "Location", "/v1/jobs/proof/7", "Retry-After", wait);
  }

  @Test
  void pollsFollowRetryAfterUntilTheResult() throws Exception {
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      switch (turn) {
        case 0 -> accepted(exchange, "7");
        case 1 -> accepted(exchange, "3");
        case 2 -> ScriptedServer.answer(exchange, 503, "away", "Retry-After", "2");
        default -> ScriptedServer.answer(exchange, 418, "result", "Weir-Job-State", "completed");
      }
    })) {
      JobFuture<String> job = jobs.submit(request(server), BodyHandlers.ofString());
      HttpResponse<String> result = job.get(20, TimeUnit.SECONDS);
      assertThat(result.statusCode()).isEqualTo(418);
      assertThat(result.body()).isEqualTo("result");
      assertThat(time.waits)
          .containsExactly(Duration.ofSeconds(7), Duration.ofSeconds(3), Duration.ofSeconds(2));
      assertThat(job.questions()).isEqualTo(3);
      assertThat(job.place()).contains(server.uri("/v1/jobs/proof/7"));
      assertThat(server.requests.get(1).getFirst("Authorization")).isEqualTo("Bearer key");
      assertThat(server.requests.get(1).getFirst("Content-Type")).isNull();
    }
  }

  @Test
  void anEndIsAResultWhateverItsStatus() throws Exception {
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      if (turn == 0) {
        accepted(exchange, "1");
      } else {
        ScriptedServer.answer(exchange, 502, "why", "Weir-Job-State", "failed");
      }
    })) {
      HttpResponse<String> result =
          jobs.submit(request(server), BodyHandlers.ofString()).get(20, TimeUnit.SECONDS);
      assertThat(result.statusCode()).isEqualTo(502);
      assertThat(server.requests).hasSize(2);
    }
  }

  @Test
  void anAnswerAtOnceIsTheAnswer() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer((turn, exchange) -> ScriptedServer.answer(exchange, 200, "at once"))) {
      HttpResponse<String> result =
          jobs.submit(request(server), BodyHandlers.ofString()).get(20, TimeUnit.SECONDS);
      assertThat(result.body()).isEqualTo("at once");
    }
  }

  @Test
  void toCancelItIsToCancelTheJob() throws Exception {
    CountDownLatch isCancelled = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      if (exchange.getRequestMethod().equals("DELETE")) {
        isCancelled.countDown();
      }
      accepted(exchange, "1");
    })) {
      JobFuture<String> job = jobs.submit(request(server), BodyHandlers.ofString());
      while (job.place().isEmpty()) {
        Thread.onSpinWait();
      }
      job.cancel(true);
      assertThat(isCancelled.await(20, TimeUnit.SECONDS)).isTrue();
      assertThatThrownBy(job::get).isInstanceOf(CancellationException.class);
    }
  }

  @Test
  void aPlaceThatIsGoneForLongIsAFailure() throws Exception {
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      if (turn == 0) {
        accepted(exchange, "1");
      } else {
        ScriptedServer.answer(exchange, 503, "away", "Retry-After", "1");
      }
    })) {
      JobFuture<String> job = jobs.submit(request(server), BodyHandlers.ofString());
      assertThatThrownBy(() -> job.get(20, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(IOException.class)
          .hasMessageContaining("503");
      assertThat(job.questions()).isEqualTo(31);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Retry-After", "Retry-After-Ms"})
  void aWaitOfZeroIsAWaitOfAtLeastATenthOfASecond(String header) throws Exception {
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      if (turn < 3) {
        ScriptedServer.answer(exchange, 202, "{}", "Location", "/v1/jobs/proof/7", header, "0");
      } else {
        ScriptedServer.answer(exchange, 200, "result", "Weir-Job-State", "completed");
      }
    })) {
      jobs.submit(request(server), BodyHandlers.ofString()).get(20, TimeUnit.SECONDS);
      assertThat(time.waits)
          .hasSize(3)
          .allSatisfy(
              wait -> assertThat(wait).isBetween(Duration.ofMillis(100), Duration.ofMillis(200)));
      assertThat(time.waits).as("spread, each by itself").doesNotHaveDuplicates();
    }
  }

  @Test
  void aLocationOfAnotherOriginIsRefusedAndNeverAsked() throws Exception {
    try (ScriptedServer other =
            new ScriptedServer((turn, exchange) -> ScriptedServer.answer(exchange, 200, "mine"));
        ScriptedServer server = new ScriptedServer((turn, exchange) -> ScriptedServer.answer(
            exchange, 202, "{}", "Location", other.uri("/j/1").toString()))) {
      JobFuture<String> job = jobs.submit(request(server), BodyHandlers.ofString());
      assertThatThrownBy(() -> job.get(20, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(IOException.class)
          .hasMessageContaining(
              "Location: %s (expected: a place of %s)", other.uri("/j/1"), server.uri(""));
      assertThat(job.place()).isEmpty();
      assertThat(other.requests).as("neither GET nor DELETE").isEmpty();
    }
  }

  @Test
  void aLocationOfTheSameOriginMayBeSpelledOtherwise() throws Exception {
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      if (turn == 0) {
        String port = exchange.getRequestHeaders().getFirst("Host").replaceAll(".*:", "");
        ScriptedServer.answer(
            exchange, 202, "{}", "Location", "HTTP://LocalHost:" + port + "/v1/jobs/proof/7");
      } else {
        ScriptedServer.answer(exchange, 200, "result", "Weir-Job-State", "completed");
      }
    })) {
      URI spelled = URI.create(server.uri("/proof").toString().replace("127.0.0.1", "localhost"));
      HttpRequest request = HttpRequest.newBuilder(spelled)
          .header("Authorization", "Bearer key")
          .POST(BodyPublishers.ofString("wish"))
          .build();
      HttpResponse<String> result =
          jobs.submit(request, BodyHandlers.ofString()).get(20, TimeUnit.SECONDS);
      assertThat(result.body()).isEqualTo("result");
      assertThat(server.requests.get(1).getFirst("Authorization")).isEqualTo("Bearer key");
    }
  }
}
