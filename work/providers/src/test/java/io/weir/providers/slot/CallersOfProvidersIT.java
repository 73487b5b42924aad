package io.weir.providers.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.http.HttpServerRequest;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.node.testing.TwoProviders;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The effect of callers of providers on one another, and of a new policy on waiting callers. */
@Tag("work")
final class CallersOfProvidersIT extends TwoProviders {
  private String toProvider(String header) {
    return sent.get(0).peek().getHeader(header);
  }

  @Test
  void aProviderGetsNoHeadersOfItsCallersAndADerivedIdempotencyKey() {
    assertThat(fixture
            .send(request("/ask")
                .header("X-Forwarded-Access-Token", "secret")
                .header("True-Client-Ip", "10.0.0.1")
                .header("Idempotency-Key", "1"))
            .statusCode())
        .isEqualTo(200);
    assertThat(toProvider("X-Forwarded-Access-Token")).isNull();
    assertThat(toProvider("True-Client-Ip")).isNull();
    assertThat(toProvider("Idempotency-Key")).hasSize(64);
  }

  @Test
  void halfARequestSaysNothingOfTheProvider() throws Exception {
    heads.set(0, request -> request.connection().close());
    URI node = fixture.uri("/ask");
    for (int i = 0; i < 8; i++) {
      try (Socket caller = new Socket(node.getHost(), node.getPort())) {
        caller
            .getOutputStream()
            .write(
                "POST /ask HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Length: 200000\r\n\r\nhalf"
                    .formatted(TestPolicies.key("k1"))
                    .getBytes(StandardCharsets.UTF_8));
        byte[] head = caller.getInputStream().readNBytes(12);
        assertThat(new String(head, StandardCharsets.UTF_8)).isEqualTo("HTTP/1.1 502");
      }
    }
    heads.set(0, request -> {});
    assertThat(get("/ask").statusCode()).isEqualTo(200);
    assertThat(sent.get(0)).as("its breaker is closed").hasSize(1);
  }

  @Test
  void anUnsupportedMethodIsNoFailureOfTheProvider() {
    answers.set(0, request -> request.response().setStatusCode(501).end("what?"));
    for (int i = 0; i < 8; i++) {
      assertThat(get("/ask").statusCode()).isEqualTo(501);
    }
    answers.set(0, TwoProviders::fine);
    assertThat(get("/ask").statusCode()).isEqualTo(200);
    assertThat(sent.get(1)).isEmpty();
  }

  // On a busy machine some hang up before they are sent: these are sent again.
  private void hangUp(Duration after, String until) {
    HttpClient client = HttpClient.newHttpClient();
    await().atMost(Duration.ofMinutes(1)).until(() -> {
      List<CompletableFuture<Integer>> callers = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        callers.add(client
            .sendAsync(request("/chat").timeout(after).build(), BodyHandlers.ofString())
            .handle((answer, error) -> error == null ? answer.statusCode() : 0));
      }
      callers.forEach(CompletableFuture::join);
      return Pattern.compile(until).matcher(fixture.get("/metrics").body()).find();
    });
  }

  @Test
  void aCallerThatHangsUpSoonSaysNothingOfTheProvider() {
    answers.set(0, request -> {});
    hangUp(
        Duration.ofMillis(300),
        "attempts_total\\{key=\"-\",outcome=\"neutral\",provider=\"a\",upstream=\"models\"\\} [1-9][0-9]");
    answers.set(0, TwoProviders::fine);
    assertThat(get("/chat").body()).isEqualTo("fine");
    assertThat(sent.get(1)).isEmpty();
  }

  @Test
  void aProviderThatHangsIsLeftAloneAlsoWhereCallersLosePatienceFirst() {
    answers.set(0, request -> {});
    hangUp(Duration.ofMillis(1500), "breaker\\{provider=\"a\",upstream=\"models\"\\} 2");
    assertThat(get("/chat").body()).isEqualTo("fine");
    assertThat(sent.get(1)).isNotEmpty();
  }

  /** One request that runs at the only place, and another one that waits for the place. */
  private record OneWaits(
      ConcurrentLinkedQueue<HttpServerRequest> held,
      CompletableFuture<HttpResponse<String>> first,
      CompletableFuture<HttpResponse<String>> second) {
    void end() {
      held.forEach(request -> request.response().end("late"));
      assertThat(first.join().body()).isEqualTo("late");
    }
  }

  private OneWaits oneWaits() {
    ConcurrentLinkedQueue<HttpServerRequest> held = new ConcurrentLinkedQueue<>();
    answers.set(0, held::add);
    CompletableFuture<HttpResponse<String>> first =
        CompletableFuture.supplyAsync(() -> get("/alpha"));
    await().until(() -> held.size() == 1);
    CompletableFuture<HttpResponse<String>> second =
        CompletableFuture.supplyAsync(() -> get("/alpha"));
    await()
        .until(() -> fixture
            .get("/metrics")
            .body()
            .contains("throttle_upstream_queue{upstream=\"shared\"} 1"));
    return new OneWaits(held, first, second);
  }

  private void publish(String changed) {
    assertThat(changed).isNotEqualTo(policy);
    assertThat(fixture
            .put("/v1/policy", changed, "Authorization", "Bearer " + NodeFixture.ADMIN)
            .statusCode())
        .isEqualTo(200);
  }

  @Test
  void aWaitingRequestFollowsANewPolicy() {
    OneWaits requests = oneWaits();
    String of = "providers: [{ name: %s, url: \"http://127.0.0.1:%d\" }]";
    publish(policy.replace(of.formatted("a", ports.get(0)), of.formatted("b", ports.get(1))));
    requests.end();
    assertThat(requests.second().join().body()).isEqualTo("fine");
    assertThat(sent.get(0)).hasSize(1);
    assertThat(sent.get(1)).hasSize(1);
  }

  @Test
  void aWaitingRequestIsRefusedWhenItsUpstreamIsRemoved() {
    OneWaits requests = oneWaits();
    publish(
        policy.replace("upstream: shared", "upstream: two").replace("  shared:\n", "  other:\n"));
    HttpResponse<String> second = requests.second().join();
    assertThat(second.statusCode()).isEqualTo(503);
    assertThat(NodeFixture.json(second).getString("code")).isEqualTo("upstream_removed");
    requests.end();
  }
}
