package io.weir.providers.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.http.HttpServerRequest;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TwoProviders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that their provider refuses. Of the upstream {@code two}, provider a has two keys, in different headers. */
@Tag("work")
final class RefusedKeysIT extends TwoProviders {
  private static boolean hasFirstKey(HttpServerRequest request) {
    return request.getHeader("Authorization") != null;
  }

  private void refuseFirstKey(int status) {
    answers.set(
        0,
        request -> request
            .response()
            .setStatusCode(hasFirstKey(request) ? status : 200)
            .end(hasFirstKey(request) ? "refused" : "fine"));
  }

  private void refuseAll(int status) {
    answers.set(0, request -> request.response().setStatusCode(status).end("refused"));
  }

  private long sentWithFirstKey() {
    return sent.get(0).stream().filter(RefusedKeysIT::hasFirstKey).count();
  }

  private boolean metrics(String line) {
    return fixture.get("/metrics").body().contains(line);
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 402, 403})
  void anotherKeyOfTheProviderAnswersAndTheRefusedOneRests(int status) {
    refuseFirstKey(status);
    assertThat(post("/ask", "x").body()).isEqualTo("fine");
    await()
        .until(() ->
            metrics("throttle_upstream_keys_rested_total{provider=\"a\",upstream=\"two\"} 1.0"));
    assertThat(metrics(
            "throttle_upstream_key_refused{key=\"k1\",provider=\"a\",upstream=\"two\"} 1.0"))
        .isTrue();
    for (int i = 0; i < 10; i++) {
      assertThat(post("/ask", "x").body()).isEqualTo("fine");
    }
    assertThat(sentWithFirstKey()).isEqualTo(1);
    assertThat(sent.get(1)).as("of another provider").isEmpty();
    assertThat(metrics("throttle_upstream_attempts_total{key=\"k1\",outcome=\"refused\","
            + "provider=\"a\",upstream=\"two\"} 1.0"))
        .isTrue();
  }

  @Test
  void aRequestThatIsForbiddenItselfRestsNoKey() {
    answers.set(1, request -> request.response().setStatusCode(403).end("refused"));
    refuseAll(403);
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> answer = get("/ask");
      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(answer.body()).isEqualTo("refused");
    }
    answers.set(0, TwoProviders::fine);
    long before = sentWithFirstKey();
    assertThat(get("/ask").body()).isEqualTo("fine");
    assertThat(get("/ask").body()).isEqualTo("fine");
    assertThat(sentWithFirstKey()).isEqualTo(before + 1);
    assertThat(metrics("throttle_upstream_keys_rested_total{provider=\"a\",upstream=\"two\"} 0.0"))
        .isTrue();
  }

  @Test
  void aProviderThatForbidsMoreThanAnotherKeepsItsKeys() {
    refuseAll(403);
    assertThat(get("/ask").body()).isEqualTo("fine");
    assertThat(sent.get(1)).hasSize(1);
    answers.set(0, TwoProviders::fine);
    assertThat(get("/ask").body()).isEqualTo("fine");
    assertThat(sent.get(1)).hasSize(1);
  }

  @Test
  void withoutAKeyOfOursARefusalIsTheAnswer() {
    refuseAll(401);
    assertThat(get("/narrow").statusCode()).isEqualTo(401);
    assertThat(get("/narrow").statusCode()).isEqualTo(401);
    assertThat(sent.get(0)).hasSize(2);
  }

  private HttpResponse<String> endRest(String key) {
    return fixture.send(HttpRequest.newBuilder(fixture.uri("/v1/upstreams/two/rests/a/" + key))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .DELETE());
  }

  @Test
  void anOperatorEndsTheRest() {
    refuseFirstKey(401);
    assertThat(get("/ask").body()).isEqualTo("fine");
    await().untilAsserted(() -> assertThat(endRest("k1").body()).isEqualTo("{\"rested\":true}"));
    answers.set(0, TwoProviders::fine);
    for (int i = 0; i < 4; i++) {
      get("/ask");
    }
    assertThat(sentWithFirstKey()).isGreaterThan(1);
    assertThat(endRest("k1").body()).isEqualTo("{\"rested\":false}");
    assertThat(endRest("other").statusCode()).isEqualTo(404);
  }
}
