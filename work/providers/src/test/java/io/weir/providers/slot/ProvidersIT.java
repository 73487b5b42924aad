package io.weir.providers.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.http.HttpServerRequest;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TwoProviders;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Upstreams of providers, as callers of a node and the providers see them. */
final class ProvidersIT extends TwoProviders {
  @Test
  void ourKeysGoToTheProvidersInTurnAndTheCallersDoesNot() {
    for (int i = 0; i < 4; i++) {
      assertThat(get("/ask").body()).isEqualTo("fine");
    }
    assertThat(sent.get(1)).isEmpty();
    assertThat(sent.get(0)).allMatch(request -> request.getHeader("X-Api-Key") == null);
    assertThat(sent.get(0))
        .anyMatch(request -> ("Bearer " + SECRET).equals(request.getHeader("Authorization"))
            || SECRET.equals(request.getHeader("X-Key")));
    String metrics = fixture.get("/metrics").body();
    assertThat(metrics)
        .contains(
            "throttle_upstream_attempts_total{key=\"k1\",outcome=\"good\",provider=\"a\",upstream=\"two\"}")
        .contains("throttle_upstream_wait_seconds_count{upstream=\"two\"} 4")
        .doesNotContain(SECRET);
  }

  @Test
  void credentialsOfTheCallerAreWithheldFromProviders() {
    answers.set(0, request -> request.response().setStatusCode(429).end());
    HttpResponse<String> answer = fixture.send(
        request("/ask").header("Cookie", "mine").header("X_Key", "mine").header("X-Fine", "yes"));
    assertThat(answer.body()).isEqualTo("fine");
    HttpServerRequest other = sent.get(1).element();
    assertThat(other.headers().names())
        .doesNotContain(
            "Cookie",
            "X_Key",
            "X-Key",
            "Authorization",
            "X-Api-Key",
            "X-Forwarded-For",
            "Forwarded");
    assertThat(other.headers().names()).noneMatch(name -> name.startsWith("X-Weir"));
    assertThat(other.getHeader("X-Fine")).isEqualTo("yes");
  }

  @Test
  void aNodeWithoutAnyKeySaysSo() {
    HttpResponse<String> refused = get("/keyless");
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(NodeFixture.json(refused).getString("code")).isEqualTo("upstream_key_missing");
    assertThat(refused.headers().firstValue("Retry-After")).isEmpty();
  }

  @Test
  void aProviderThatCannotBeReachedIsNotWaitedFor() {
    assertThat(post("/lost", "body").statusCode()).isEqualTo(200);
    assertThat(sent.get(1)).hasSize(1);
  }

  @Test
  void aKeyThatHasHadEnoughIsLeftAloneAsLongAsItSays() {
    answers.set(
        0,
        request ->
            request.response().setStatusCode(429).putHeader("Retry-After", "60").end("too much"));
    // Also for requests that must not be repeated: a 429 has executed nothing.
    for (int i = 0; i < 5; i++) {
      assertThat(post("/ask", "body " + i).body()).isEqualTo("fine");
    }
    assertThat(sent.get(0)).hasSize(2); // once by each key
    assertThat(sent.get(1)).hasSize(5);
  }

  @Test
  void aModelThatHasHadEnoughIsLeftAloneAndNoOther() {
    String tooMany = "{\"model\": \"larger\"}";
    answers.set(
        0,
        request ->
            request.response().setStatusCode(429).putHeader("Retry-After", "60").end());
    assertThat(post("/chat", tooMany).body()).isEqualTo("fine");
    assertThat(sent.get(0)).hasSize(1);
    answers.set(0, TwoProviders::fine);
    assertThat(post("/chat", "{\"model\": \"large\"}").body()).isEqualTo("fine");
    assertThat(sent.get(0)).hasSize(1);
    for (String other : List.of("{\"model\": \"tiny\"}", "{}", "{", tooMany + tooMany, "x")) {
      assertThat(post("/chat", other).statusCode()).isEqualTo(200);
    }
    assertThat(sent.get(0)).hasSize(6);
    assertThat(outcomes(
            batch("{\"method\": \"POST\", \"path\": \"/chat\", \"body\": " + tooMany + "}")))
        .containsExactly("executed");
    assertThat(sent.get(0)).hasSize(6);
  }

  @Test
  void aLongBodyIsSentOnceThoughItWasRead() {
    answers.set(0, request -> request.response().setStatusCode(500).end());
    String begin = "{\"model\": \"large\", \"text\": \"";
    for (int length : new int[] {10, 70_000}) {
      BodyPublisher body = BodyPublishers.ofString(begin + "x".repeat(length) + "\"}");
      int expected = length == 10 ? 200 : 500;
      assertThat(fixture.send(request("/chat").PUT(body)).statusCode()).isEqualTo(expected);
    }
    assertThat(sent.get(1)).hasSize(1);
  }

  @Test
  void aRequestThatMayHaveBeenDoneIsNotRepeatedUnlessItIsSafe() {
    answers.set(0, request -> request.response().setStatusCode(500).end("no"));
    assertThat(post("/ask", "body").statusCode()).isEqualTo(500);
    assertThat(sent.get(1)).isEmpty();
    HttpResponse<String> repeated = get("/ask");
    assertThat(repeated.body()).isEqualTo("fine");
    assertThat(sent.get(1)).hasSize(1);
  }

  @Test
  void theLastAnswerIsPassedOnUnchanged() {
    answers.replaceAll(
        answer -> request -> request.response().setStatusCode(502).end("bad gateway of theirs"));
    HttpResponse<String> last = get("/ask");
    assertThat(last.statusCode()).isEqualTo(502);
    assertThat(last.body()).isEqualTo("bad gateway of theirs");
    assertThat(sent.get(0).size() + sent.get(1).size()).isEqualTo(3);
  }

  @Test
  void aProviderThatFailsIsLeftAloneAndTriedAgainByOneRequest() {
    answers.set(0, request -> request.response().setStatusCode(500).end("no"));
    for (int i = 0; i < 20; i++) {
      assertThat(get("/ask").body()).isEqualTo("fine");
    }
    assertThat(sent.get(0)).hasSize(4);
    int before = sent.get(0).size();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> get("/ask").statusCode() == 200 && sent.get(0).size() > before);
    assertThat(sent.get(0)).hasSize(before + 1);
    answers.set(0, ProvidersIT::fine);
    int unwell = sent.get(0).size();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> get("/ask").statusCode() == 200 && sent.get(0).size() > unwell);
    int well = sent.get(0).size();
    get("/ask");
    assertThat(sent.get(0)).hasSize(well + 1);
    String metrics = fixture.get("/metrics").body();
    for (String to : List.of("open", "half_open", "closed")) {
      assertThat(metrics)
          .contains(
              "throttle_upstream_breaker_transitions_total{provider=\"a\",to=\"%s\",upstream=\"two\"}"
                  .formatted(to));
    }
    assertThat(metrics).contains("throttle_upstream_breaker{provider=\"a\",upstream=\"two\"} 0.0");
  }

  @Test
  void whereAllHaveFailedItIsSaidUntilWhen() {
    answers.replaceAll(
        answer -> request -> request.response().setStatusCode(500).end("no"));
    await().atMost(Duration.ofMinutes(1)).until(() -> post("/ask", "x").statusCode() == 503);
    HttpResponse<String> open = get("/ask");
    assertThat(open.statusCode()).isEqualTo(503);
    assertThat(NodeFixture.json(open).getString("code")).isEqualTo("upstream_open");
    assertThat(open.headers().firstValue("Retry-After").orElse("")).matches("[1-5]");
  }

  @Test
  void aQueueHasAnEndAndADeadline() throws Exception {
    ConcurrentLinkedQueue<HttpServerRequest> held = new ConcurrentLinkedQueue<>();
    answers.set(0, held::add);
    List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      all.add(CompletableFuture.supplyAsync(() -> get("/narrow")));
    }
    await().until(() -> all.stream().filter(CompletableFuture::isDone).count() >= 39);
    assertThat(held).hasSize(1);
    held.element().response().end("fine");
    List<Integer> statuses = new ArrayList<>();
    Set<Long> waits = new HashSet<>();
    for (CompletableFuture<HttpResponse<String>> one : all) {
      HttpResponse<String> answer = one.get();
      statuses.add(answer.statusCode());
      if (answer.statusCode() != 200) {
        waits.add(NodeFixture.json(answer).getLong("retryAfterMs"));
      }
    }
    assertThat(statuses).containsOnly(200, 429, 503).containsOnlyOnce(200);
    assertThat(waits).as("not all at once").hasSizeGreaterThan(5);
    // The permit is free again.
    answers.set(0, ProvidersIT::fine);
    assertThat(get("/narrow").statusCode()).isEqualTo(200);
  }

  @Test
  void aRequestAfterOneThatCouldNotWaitIsAnswered() {
    answers.set(
        0,
        request ->
            request.response().setStatusCode(429).putHeader("Retry-After", "60").end());
    assertThat(get("/narrow").statusCode()).isEqualTo(429);
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> late = get("/narrow");
      assertThat(late.statusCode()).isEqualTo(503);
      assertThat(NodeFixture.json(late).getString("code")).isEqualTo("upstream_queue_timeout");
    }
  }

  @Test
  void groupsAndEventLoopsTakeTurnsWhereThereIsNoRoom() throws Exception {
    answers.set(0, request -> vertx.setTimer(5, due -> request.response().end("fine")));
    ConcurrentLinkedQueue<String> served = new ConcurrentLinkedQueue<>();
    AtomicInteger left = new AtomicInteger(120);
    List<CompletableFuture<Void>> callers = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(12);
    for (int i = 0; i < 12; i++) {
      String path = i % 2 == 0 ? "/alpha" : "/beta";
      callers.add(CompletableFuture.runAsync(
          () -> {
            while (left.getAndDecrement() > 0) {
              assertThat(get(path).body()).isEqualTo("fine");
              served.add(path);
            }
          },
          threads));
    }
    for (CompletableFuture<Void> one : callers) {
      one.get();
    }
    threads.shutdown();
    long alpha = served.stream().filter("/alpha"::equals).count();
    assertThat(served).hasSize(120);
    assertThat(alpha).isBetween(40L, 80L);
  }
}
