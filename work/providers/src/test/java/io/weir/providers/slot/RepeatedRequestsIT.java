package io.weir.providers.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.FailingProvider;
import io.weir.node.testing.FailingProvider.Fault;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.node.testing.TwoProviders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Requests that are sent again although a provider may have executed them: which, how often, and which ones probe a
 * provider.
 */
final class RepeatedRequestsIT {
  private static final String CALL = "{\"method\": \"eth_call\"}";
  private static final String SEND = "{\"method\": \"eth_sendRawTransaction\"}";

  private final Vertx vertx = Vertx.vertx();
  private FailingProvider bad;
  private FailingProvider fine;
  private NodeFixture fixture;

  @BeforeEach
  void start() {
    bad = new FailingProvider(vertx);
    fine = new FailingProvider(vertx);
    String two = """
            providers:
              - { name: a, url: "http://127.0.0.1:%d" }
              - { name: b, url: "http://127.0.0.1:%d", tier: 1 }
        """.formatted(bad.port(), fine.port());
    String policy = """
        operations:
          - { name: Declared, match: { path: /declared }, upstream: plain, safeToRepeat: true }
          - { name: Never, match: { path: /never }, upstream: safe, safeToRepeat: false }
          - { name: Safe, match: { path: /safe }, upstream: safe }
          - { name: Rpc, match: { path: /rpc }, upstream: fleet }
          - { name: Six, match: { path: /six }, upstream: six }
          - { name: Tight, match: { path: /tight }, upstream: tight }
        buckets:
          - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Declared, Never, Safe, Rpc, Six, Tight] }] }
        upstreams:
          plain:
            retry: { initial: 1ms }
        %1$s
          safe:
            safeToRepeat: true
            retry: { initial: 1ms }
            breaker: { calls: 1000 }
        %1$s
          fleet:
            safeJsonRpcMethods: [eth_call]
            retry: { initial: 1ms, budget: off }
            breaker: { calls: 2, open: 500ms }
        %1$s
          six:
            safeToRepeat: true
            retry: { attempts: 6, initial: 1ms, max: 2ms }
            breaker: { calls: 1000 }
            providers: [{ name: a, url: "http://127.0.0.1:%2$d" }]
          tight:
            safeToRepeat: true
            retry: { attempts: 2, initial: 1ms, budget: 0, attemptTimeout: 100ms }
            breaker: { calls: 2, open: 500ms }
        %1$s
        subjects:
        """.formatted(two.stripTrailing(), bad.port());
    fixture = new NodeFixture(policy + TestPolicies.subject("k1", ""), FailureMode.DENY);
  }

  @AfterEach
  void stop() {
    fixture.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private int post(String path, String body) {
    return fixture
        .send(HttpRequest.newBuilder(fixture.uri(path))
            .header("X-Api-Key", TestPolicies.key("k1"))
            .POST(BodyPublishers.ofString(body)))
        .statusCode();
  }

  @Test
  void theOperatorsWordForAnUpstreamOrAnOperationDecides() {
    bad.fails(Fault.ERRORS);
    assertThat(post("/safe", "x")).isEqualTo(200);
    assertThat(post("/declared", "x")).isEqualTo(200);
    assertThat(post("/never", "x")).isEqualTo(500);
    bad.fails(Fault.DROPS);
    assertThat(post("/safe", "x")).isEqualTo(200);
    assertThat(post("/never", "x")).isEqualTo(502);
  }

  @Test
  void aCallOfJsonRpcIsRepeatedIfAllItsMethodsAreSafe() {
    bad.fails(Fault.ERRORS);
    assertThat(post("/rpc", SEND)).isEqualTo(500);
    assertThat(post("/rpc", CALL)).isEqualTo(200);
    String both = "[%s, %s]".formatted(CALL, SEND);
    await()
        .until(() ->
            post("/rpc", CALL) == 200 && metrics().contains("to=\"open\",upstream=\"fleet\""));
    assertThat(post("/rpc", both)).as("the other one serves it").isEqualTo(200);
  }

  @Test
  void onlyRequestsThatAreSentAgainTryAProvider() {
    bad.fails(Fault.ERRORS);
    while (!metrics().contains("to=\"open\",upstream=\"fleet\"")) {
      assertThat(post("/rpc", CALL)).isEqualTo(200);
    }
    int before = bad.asked.get();
    await()
        .during(Duration.ofMillis(1500))
        .atMost(Duration.ofMinutes(1))
        .until(() -> post("/rpc", SEND) == 200);
    assertThat(bad.asked.get()).as("no probe is an unsafe request").isEqualTo(before);
    await().until(() -> post("/rpc", CALL) == 200 && bad.asked.get() > before);
  }

  @Test
  void eachRequestGetsAllItsAttemptsWhereFewAreAsked() {
    bad.fails(Fault.ERRORS);
    for (int i = 0; i < 3; i++) {
      int before = bad.asked.get();
      assertThat(post("/six", "x")).isEqualTo(500);
      assertThat(bad.asked.get() - before).isEqualTo(6);
    }
  }

  // Without a budget nothing is sent again, except the request that was the probe.
  @Test
  void aFailedProbeCostsNeitherAnAttemptNorBudget() {
    bad.fails(Fault.ERRORS);
    await().until(() -> post("/tight", "x") == 200);
    int before = bad.asked.get();
    await().atMost(Duration.ofMinutes(1)).until(() -> {
      assertThat(post("/tight", "x")).isEqualTo(200);
      return bad.asked.get() >= before + 2;
    });
  }

  @Test
  void itemsOfABatchAreRepeatedToo() {
    bad.fails(Fault.DROPS);
    assertThat(
            TwoProviders.outcomes(
                fixture.send(
                    HttpRequest.newBuilder(fixture.uri("/v1/batch"))
                        .header("X-Api-Key", TestPolicies.key("k1"))
                        .header("Content-Type", "application/json")
                        .POST(
                            BodyPublishers.ofString(
                                "{\"items\": [{\"method\": \"POST\", \"path\": \"/safe\", \"body\": {\"a\": 1}}]}")))))
        .containsExactly("executed");
  }

  private String metrics() {
    return fixture.get("/metrics").body();
  }
}
