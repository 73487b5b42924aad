package io.weir.providers.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.CapturedLog;
import io.weir.node.testing.FailingProvider;
import io.weir.node.testing.FailingProvider.Fault;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.providers.store.RedisProviders;
import io.weir.state.connection.RedisConnections;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One node of the cluster checks the health of providers. */
@Tag("work")
final class HealthWatchIT {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Vertx vertx = Vertx.vertx();
  private FailingProvider bad;
  private NodeFixture fixture;

  @BeforeEach
  void start() {
    bad = new FailingProvider(vertx);
    FailingProvider fine = new FailingProvider(vertx);
    fixture = new NodeFixture(
        """
        operations:
          - { name: Ask, match: { path: /ask }, upstream: two }
        buckets:
          - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask] }] }
        upstreams:
          two:
            health: { path: /health, interval: 500ms, timeout: 2s, healthy: 2, unhealthy: 2 }
            breaker: { open: 500ms }
            providers:
              - { name: a, url: "http://127.0.0.1:%d" }
              - { name: b, url: "http://127.0.0.1:%d", tier: 1 }
        subjects:
        """.formatted(bad.port(), fine.port()) + TestPolicies.subject("k1", ""), FailureMode.DENY);
  }

  @AfterEach
  void stop() {
    fixture.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private int post() {
    return fixture
        .send(HttpRequest.newBuilder(fixture.uri("/ask"))
            .header("X-Api-Key", TestPolicies.key("k1"))
            .POST(BodyPublishers.ofString("not to be repeated")))
        .statusCode();
  }

  // Tries again if the machine is too busy for its Redis.
  private void awaitAnswer() {
    await().atMost(PATIENCE).until(() -> post() == 200);
  }

  private void awaitBreaker(String state) {
    String gauge = "throttle_upstream_breaker{provider=\"a\",upstream=\"two\"} " + state;
    await().atMost(PATIENCE).until(() -> fixture.get("/metrics").body().contains(gauge));
  }

  @Test
  void aProviderThatIsNotWellGetsNoRequestAndComesBack() {
    awaitAnswer();
    for (Fault fault : new Fault[] {Fault.UNAVAILABLE, Fault.HANGS, Fault.REFUSES}) {
      bad.fails(fault);
      awaitBreaker("2");
      int before = bad.asked.get();
      awaitAnswer();
      assertThat(bad.asked.get()).as("no caller found out").isEqualTo(before);
      bad.fails(Fault.NONE);
      awaitBreaker("0");
      assertThat(bad.asked.get()).as("and no caller tried it").isEqualTo(before);
      await().atMost(PATIENCE).until(() -> post() == 200 && bad.asked.get() > before);
    }
    assertThat(fixture.get("/metrics").body())
        .contains(
            "throttle_upstream_health_checks_total{outcome=\"good\",provider=\"b\",upstream=\"two\"}",
            "throttle_upstream_breaker_transitions_total{provider=\"a\",to=\"open\",upstream=\"two\"} 3",
            "throttle_upstream_breaker_transitions_total{provider=\"a\",to=\"closed\",upstream=\"two\"} 3");
  }

  @Test
  void checksOfProvidersThatAreWellAreNotLogged() {
    try (CapturedLog log = new CapturedLog()) {
      awaitChecks(4);
      assertThat(log.text()).doesNotContain("ERROR");
    }
  }

  private void awaitChecks(int count) {
    Pattern good = Pattern.compile(
        "throttle_upstream_health_checks_total\\{outcome=\"good\",provider=\"b\",upstream=\"two\"} (\\d+)");
    await().atMost(PATIENCE).until(() -> {
      Matcher found = good.matcher(fixture.get("/metrics").body());
      return found.find() && Integer.parseInt(found.group(1)) >= count;
    });
  }

  @Test
  void anotherNodeAsksOnceTheLeaseOfTheFirstIsOver() {
    awaitBreaker("0");
    try (RedisConnections connections =
        RedisConnections.open(fixture.redisUri(), Duration.ofMinutes(1))) {
      RedisProviders store = new RedisProviders(connections);
      assertThat(store.watch("two", "another", 60_000).toCompletableFuture().join())
          .isFalse();
      fixture.node().close();
      await()
          .atMost(PATIENCE)
          .until(
              () -> store.watch("two", "another", 60_000).toCompletableFuture().join());
      assertThat(store.watch("two", "a third", 60_000).toCompletableFuture().join())
          .isFalse();
    }
  }
}
