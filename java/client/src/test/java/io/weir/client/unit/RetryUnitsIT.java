package io.weir.client.unit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import io.weir.client.RetryingHttpClient;
import io.weir.client.ScriptedServer;
import io.weir.client.retry.BreakerOptions;
import io.weir.client.retry.BreakerState;
import io.weir.client.retry.RetryLaterException;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Segments of an object: begin, put and commit only make sense together. */
@Timeout(60)
final class RetryUnitsIT {
  private static final int SEGMENTS = 64;
  private static final RetryOptions FAST = RetryOptions.BACKGROUND.with(
      o -> o.initialBackoff(Duration.ofMillis(2)).maxBackoff(Duration.ofMillis(20)));

  private final Map<String, AtomicInteger> committed = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> begun = new ConcurrentHashMap<>();

  @Test
  void anObjectIsUploadedThroughAThrottleThatRejectsOneCallInThree() throws Exception {
    AtomicInteger commits = new AtomicInteger();
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      if (turn % 3 == 2) {
        ScriptedServer.answer(exchange, 429, "", "Retry-After", "1", "Retry-After-Ms", "5");
      } else if (isCommit(exchange) && commits.incrementAndGet() % 5 == 0) {
        ScriptedServer.answer(exchange, 409, ""); // the put is lost: begin again
      } else {
        count(exchange);
        ScriptedServer.answer(exchange, 200, "done");
      }
    })) {
      Retryer retryer = Retryer.of(FAST, RetryListener.NONE);
      RetryUnits units = new RetryUnits(retryer, "segments", error -> error instanceof Conflict);
      RetryingHttpClient client = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retryer);
      List<CompletableFuture<Integer>> uploads =
          units.retryUnits("segment", segments(server, client), 8);
      for (int i = 0; i < SEGMENTS; i++) {
        assertThat(uploads.get(i).get(30, TimeUnit.SECONDS)).isEqualTo(i);
      }
    }
    assertThat(committed).hasSize(SEGMENTS);
    assertThat(committed.values()).allSatisfy(times -> assertThat(times).hasValue(1));
    // Only the units that were refused at their commit began again.
    int refused = commits.get() - SEGMENTS;
    assertThat(refused).isPositive();
    assertThat(begun.values().stream().mapToInt(AtomicInteger::get).sum())
        .isEqualTo(SEGMENTS + refused);
  }

  @Test
  void aUnitThatFailsOtherwiseThanChosenLeavesItsSiblingsAlone() throws Exception {
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      boolean isThird = exchange.getRequestURI().getPath().startsWith("/3/");
      ScriptedServer.answer(exchange, isThird ? 400 : 200, "");
      count(exchange);
    })) {
      Retryer retryer = Retryer.of(FAST, RetryListener.NONE);
      RetryUnits units = new RetryUnits(retryer, "segments", error -> error instanceof Conflict);
      RetryingHttpClient client = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retryer);
      List<CompletableFuture<Integer>> uploads =
          units.retryUnits("segment", segments(server, client), 4);
      for (int i = 0; i < SEGMENTS; i++) {
        Throwable error =
            uploads.get(i).handle((value, failure) -> failure).get(30, TimeUnit.SECONDS);
        if (i == 3) {
          assertThat(error).isInstanceOf(IOException.class);
        } else {
          assertThat(error).isNull();
        }
      }
    }
    assertThat(begun.values()).allSatisfy(times -> assertThat(times).hasValue(1));
  }

  @Test
  void aFloodOf500TripsTheBreakerAndOneProbeFindsOutWhenItIsOver() throws Exception {
    AtomicBoolean isIll = new AtomicBoolean(true);
    List<BreakerState> states = new CopyOnWriteArrayList<>();
    RetryListener listener = new RetryListener() {
      @Override
      public void breakerChanged(String upstream, BreakerState from, BreakerState to) {
        states.add(to);
      }
    };
    RetryOptions options =
        FAST.with(o -> o.attempts(3).breaker(new BreakerOptions(10, Duration.ofMillis(200))));
    try (ScriptedServer server = new ScriptedServer(
        (turn, exchange) -> ScriptedServer.answer(exchange, isIll.get() ? 500 : 200, ""))) {
      RetryingHttpClient client =
          RetryingHttpClient.wrap(HttpClient.newHttpClient(), options, listener);
      for (int i = 0; i < 20; i++) {
        failure(client.sendAsync(get(server), BodyHandlers.discarding()));
      }
      assertThat(server.requests).hasSize(10);
      assertThat(failure(client.sendAsync(get(server), BodyHandlers.discarding())))
          .isInstanceOfSatisfying(
              RetryLaterException.class,
              later ->
                  assertThat(later.reason()).isEqualTo(RetryLaterException.Reason.BREAKER_OPEN));
      isIll.set(false);
      RetryUnits units = new RetryUnits(
          Retryer.of(FAST, RetryListener.NONE),
          "patient",
          error -> error instanceof RetryLaterException);
      HttpResponse<Void> answer = units
          .retryUnit("get", () -> client.sendAsync(get(server), BodyHandlers.discarding()))
          .get(10, TimeUnit.SECONDS);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(states)
          .containsExactly(BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED);
    }
  }

  private List<Supplier<CompletionStage<Integer>>> segments(
      ScriptedServer server, RetryingHttpClient client) {
    return IntStream.range(0, SEGMENTS)
        .<Supplier<CompletionStage<Integer>>>mapToObj(i -> () -> send(server, client, i, "begin")
            .thenCompose(begin -> send(server, client, i, "put"))
            .thenCompose(put -> send(server, client, i, "commit"))
            .thenApply(commit -> i))
        .toList();
  }

  private static CompletionStage<Integer> send(
      ScriptedServer server, RetryingHttpClient client, int segment, String step) {
    HttpRequest request = HttpRequest.newBuilder(server.uri("/" + segment + "/" + step))
        .PUT(BodyPublishers.ofString(step))
        .build();
    return client.sendAsync(request, BodyHandlers.discarding()).thenCompose(answer -> {
      if (answer.statusCode() == 409) {
        return CompletableFuture.failedStage(new Conflict());
      }
      return answer.statusCode() == 200
          ? CompletableFuture.completedStage(200)
          : CompletableFuture.failedStage(new IOException("status " + answer.statusCode()));
    });
  }

  private static boolean isCommit(HttpExchange exchange) {
    return exchange.getRequestURI().getPath().endsWith("/commit");
  }

  private void count(HttpExchange exchange) {
    String path = exchange.getRequestURI().getPath();
    if (path.endsWith("/begin")) {
      begun.computeIfAbsent(path, begin -> new AtomicInteger()).incrementAndGet();
    } else if (path.endsWith("/commit")) {
      committed.computeIfAbsent(path, commit -> new AtomicInteger()).incrementAndGet();
    }
  }

  private static HttpRequest get(ScriptedServer server) {
    return HttpRequest.newBuilder(server.uri("/")).build();
  }

  private static Throwable failure(CompletableFuture<HttpResponse<Void>> answer) throws Exception {
    return answer
        .handle((value, error) -> error == null ? new IOException("" + value.statusCode()) : error)
        .get(10, TimeUnit.SECONDS);
  }

  /** The put is no longer there. */
  private static final class Conflict extends IOException {
    private static final long serialVersionUID = 1;
  }
}
