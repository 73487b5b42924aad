package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.KillArgs;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.FaultProxy;
import io.weir.testkit.RedisProcess;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Named scenarios: Redis gone and back, its scripts flushed, a node that stops under load. */
@Tag("isolation")
final class FaultsIT {
  private final RedisProcess server = RedisProcess.start();
  private final FaultProxy network = FaultProxy.before(server.port());

  @AfterEach
  void stop() {
    network.close();
    server.close();
  }

  @Test
  void withoutRedisRequestsGetRetryAfterAndThenTheLimitHoldsAgain() {
    try (NodeFixture node =
        NodeFixture.losing(server.uri(), TestPolicies.slow(), FailureMode.DENY)) {
      assertThat(ping(node).statusCode()).isEqualTo(200);
      server.kill();
      await().atMost(Duration.ofMinutes(1)).until(() -> ping(node).statusCode() == 503);
      assertThat(ping(node).headers().firstValue("Proxy-Status"))
          .hasValue("weir;error=proxy_internal_error;details=\"store_unavailable\"");
      HttpResponse<String> unavailable = ping(node);
      assertThat(unavailable.headers().firstValue("Retry-After")).contains("1");
      assertThat(NodeFixture.json(unavailable).getString("code")).isEqualTo("store_unavailable");
      assertThat(node.get("/health/ready").statusCode()).isEqualTo(503);
      assertThat(node.get("/health/live").statusCode()).isEqualTo(200);
      assertThat(node.post("/v1/check", check()).statusCode()).isEqualTo(503);
      assertThat(node.get("/free/x", "X-Api-Key", TestPolicies.key("k1")).statusCode())
          .isEqualTo(200);

      server.restart();
      await().atMost(Duration.ofMinutes(1)).until(() -> ping(node).statusCode() == 200);
      List<Integer> after = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        after.add(ping(node).statusCode());
      }
      assertThat(after).contains(429).doesNotContain(503);
      assertThat(node.get("/metrics").body()).contains("outcome=\"unavailable\"");
    }
  }

  @Test
  void withoutRedisRequestsAreAdmittedAndMarkedInFailureModeAllow() {
    try (NodeFixture node =
        NodeFixture.losing(network.redisUri(), TestPolicies.slow(), FailureMode.ALLOW)) {
      network.refuse(true);
      HttpResponse<String> degraded = ping(node);
      assertThat(degraded.statusCode()).isEqualTo(200);
      assertThat(degraded.headers().firstValue("Weir-Degraded")).contains("shared-state-away");
      assertThat(NodeFixture.json(node.post("/v1/check", check())).getBoolean("degraded"))
          .isTrue();
    }
  }

  @Test
  void withoutRedisANodeEnforcesItsShareByItselfAndStaysReady() {
    try (NodeFixture node =
        NodeFixture.losing(network.redisUri(), TestPolicies.slow(), FailureMode.LOCAL)) {
      assertThat(ping(node).statusCode()).isEqualTo(200);
      network.refuse(true);
      List<HttpResponse<String>> answers = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        answers.add(ping(node));
      }
      assertThat(answers).allMatch(answer -> List.of(200, 429).contains(answer.statusCode()));
      assertThat(answers).anyMatch(answer -> answer.statusCode() == 429);
      HttpResponse<String> last = answers.get(answers.size() - 1);
      assertThat(last.headers().firstValue("Weir-Degraded")).contains("shared-state-away");
      assertThat(last.headers().firstValue("Retry-Ticket")).isEmpty();
      assertThat(NodeFixture.json(last).getBoolean("estimate")).isTrue();
      assertThat(NodeFixture.json(node.post("/v1/check", check())).getBoolean("degraded"))
          .isTrue();
      assertThat(NodeFixture.json(node.get("/health/ready")).getString("status"))
          .isEqualTo("degraded");
      awaitAway(node);
      assertThat(node.get("/metrics").body())
          .containsPattern("throttle_degraded_decisions_total [1-9]");

      network.refuse(false);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> node.get("/echo/x", "X-Api-Key", TestPolicies.key("k2"))
              .headers()
              .firstValue("Weir-Degraded")
              .isEmpty());
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> node.get("/metrics").body().contains("throttle_shared_state_away 0.0"));
    }
  }

  @Test
  void aWrongPasswordIsNoOutage() {
    try (NodeFixture node =
        NodeFixture.losing(server.uri(), TestPolicies.slow(), FailureMode.ALLOW)) {
      assertThat(ping(node).statusCode()).isEqualTo(200);
      try (var redis = RedisConnections.open(server.uri(), Duration.ofMinutes(1))) {
        redis.sync().configSet("requirepass", "another");
        redis.sync().clientKill(KillArgs.Builder.typeNormal().skipme());
        await().atMost(Duration.ofMinutes(1)).until(() -> ping(node).statusCode() == 503);
        for (int i = 0; i < 20; i++) {
          assertThat(ping(node).statusCode()).isEqualTo(503);
        }
        redis.sync().configSet("requirepass", "");
      }
    }
  }

  @Test
  void aRedisThatComesBackWithAnotherPasswordIsNoOutageAnyMore() {
    try (NodeFixture node =
        NodeFixture.losing(server.uri(), TestPolicies.slow(), FailureMode.ALLOW)) {
      try (var redis = RedisConnections.open(server.uri(), Duration.ofSeconds(30))) {
        redis.sync().configSet("requirepass", "another");
        redis.sync().clientPause(8000);
        // Several at once: each waits for Redis until it is known to be away.
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          callers.add(CompletableFuture.runAsync(() -> awaitAway(node), threads));
        }
        callers.forEach(CompletableFuture::join);
        threads.shutdown();
        CompletableFuture<Long> killed = CompletableFuture.supplyAsync(
            () -> redis.sync().clientKill(KillArgs.Builder.typeNormal().skipme()));
        // Each connection learns it by itself.
        await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> IntStream.range(0, 20).allMatch(again -> ping(node).statusCode() == 503));
        assertThat(node.get("/health/ready").statusCode()).isEqualTo(503);
        killed.join();
        redis.sync().configSet("requirepass", "");
      }
    }
  }

  @Test
  void aFlushOfScriptsUnderLoadIsNotNoticed() throws Exception {
    try (NodeFixture node = NodeFixture.at(server.uri(), TestPolicies.slow(), FailureMode.DENY)) {
      AtomicInteger others = new AtomicInteger();
      List<CompletableFuture<Void>> callers = new ArrayList<>();
      CountDownLatch started = new CountDownLatch(8);
      for (int i = 0; i < 8; i++) {
        callers.add(CompletableFuture.runAsync(() -> {
          started.countDown();
          for (int n = 0; n < 50; n++) {
            if (node.get("/echo/x", "X-Api-Key", TestPolicies.key("k2")).statusCode() != 200) {
              others.incrementAndGet();
            }
          }
        }));
      }
      assertThat(started.await(5, TimeUnit.SECONDS)).isTrue();
      try (var redis = RedisConnections.open(server.uri(), Duration.ofMinutes(1))) {
        for (int i = 0; i < 5; i++) {
          redis.sync().scriptFlush();
        }
      }
      CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
      assertThat(others).hasValue(0);
    }
  }

  @Test
  void aNodeThatStopsAnswersWhatItHasBegun() throws Exception {
    String patient = TestPolicies.slow().replace("timeoutMs: 2500", "timeoutMs: 30000");
    NodeFixture node = NodeFixture.at(server.uri(), patient, FailureMode.DENY);
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    node.upstreamAnswers("/echo/slow", request -> {
      arrived.countDown();
      CompletableFuture<Void> unused = CompletableFuture.runAsync(() -> {
        try {
          release.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
        request.response().end("done");
      });
    });
    CompletableFuture<HttpResponse<String>> inFlight =
        CompletableFuture.supplyAsync(() -> node.send(HttpRequest.newBuilder(node.uri("/echo/slow"))
            .header("X-Api-Key", TestPolicies.key("k2"))));
    assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(node::close);
    await()
        .during(Duration.ofMillis(100))
        .atMost(Duration.ofMillis(400))
        .until(() -> !closed.isDone());
    release.countDown();
    assertThat(inFlight.get(10, TimeUnit.SECONDS).body()).isEqualTo("done");
    closed.get(20, TimeUnit.SECONDS);
  }

  private static void awaitAway(NodeFixture node) {
    await().atMost(Duration.ofMinutes(1)).until(() -> {
      ping(node);
      return node.get("/metrics").body().contains("throttle_shared_state_away 1.0");
    });
  }

  private static HttpResponse<String> ping(NodeFixture node) {
    return node.get("/ping", "X-Api-Key", TestPolicies.key("k1"));
  }

  private static String check() {
    return "{\"key\": \"%s\", \"operation\": \"Ping\"}".formatted(TestPolicies.key("k1"));
  }
}
