package io.weir.operators.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The draft of an operator is one of the cluster: every node knows it, until the operator signs out. */
final class DraftIT {
  private static final String POLICY = """
      buckets: [{ name: requests, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }]
      """;
  private static final String PATH = "/v1/session/draft";
  private static final JsonObject DRAFT = new JsonObject()
      .put("text", "buckets: [ # not\n")
      .put("at", 1_764_000_000_000L)
      .put("base", "3")
      .put("compared", "an earlier one");

  private static RedisProcess redis;
  private static NodeFixture one;
  private static NodeFixture two;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    one = NodeFixture.at(redis.uri(), POLICY, FailureMode.DENY);
    two = NodeFixture.at(redis.uri(), POLICY, FailureMode.DENY);
  }

  @AfterAll
  static void end() {
    one.close();
    two.close();
    redis.close();
  }

  @BeforeEach
  void none() {
    assertThat(send(one, "DELETE", PATH, "", NodeFixture.ADMIN).statusCode()).isEqualTo(204);
  }

  private static HttpResponse<String> send(
      NodeFixture node, String method, String path, String body, String token) {
    return node.send(HttpRequest.newBuilder(node.uri(path))
        .method(method, BodyPublishers.ofString(body))
        .header("Authorization", "Bearer " + token));
  }

  private static int put(NodeFixture node, JsonObject draft) {
    return send(node, "PUT", PATH, draft.encode(), NodeFixture.ADMIN).statusCode();
  }

  private static JsonObject found(NodeFixture node) {
    HttpResponse<String> answer = send(node, "GET", PATH, "", NodeFixture.ADMIN);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
    return NodeFixture.json(answer);
  }

  @Test
  void aDraftOfOneNodeIsFoundAtAnotherUntilItIsDiscarded() {
    assertThat(found(two)).isEqualTo(new JsonObject());
    assertThat(put(one, DRAFT)).isEqualTo(204);
    assertThat(found(two)).isEqualTo(DRAFT);
    long left = Long.parseLong(redis.ask("PTTL weir:draft:admin").substring(1));
    assertThat(left).isBetween(1L, 12L * 3600 * 1000);

    JsonObject later = DRAFT.copy().put("text", "buckets: []\n").put("other", "is not kept");
    assertThat(put(two, later)).isEqualTo(204);
    assertThat(found(one).getString("text")).isEqualTo("buckets: []\n");
    assertThat(found(one).containsKey("other")).isFalse();
    assertThat(send(two, "DELETE", PATH, "", NodeFixture.ADMIN).statusCode()).isEqualTo(204);
    assertThat(found(one)).isEqualTo(new JsonObject());
  }

  @Test
  void signingOutForgetsIt() {
    HttpResponse<String> begun = send(one, "POST", "/v1/session", "", NodeFixture.ADMIN);
    String cookie = begun.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
    put(one, DRAFT);

    HttpResponse<String> ended = two.send(HttpRequest.newBuilder(two.uri("/v1/session"))
        .DELETE()
        .headers("Cookie", cookie, "Weir-Csrf", NodeFixture.json(begun).getString("csrf")));
    assertThat(ended.statusCode()).isEqualTo(204);
    assertThat(found(one)).isEqualTo(new JsonObject());
  }

  @Test
  void aDraftHasABoundAndIsAText() {
    HttpResponse<String> tooLong = send(
        one,
        "PUT",
        PATH,
        new JsonObject().put("text", "x".repeat(513 << 10)).put("at", 1).encode(),
        NodeFixture.ADMIN);
    assertThat(tooLong.statusCode()).isEqualTo(413);
    HttpResponse<String> invalid =
        send(one, "PUT", PATH, "{\"text\": 1, \"at\": \"x\"}", NodeFixture.ADMIN);
    assertThat(invalid.statusCode()).isEqualTo(422);
    assertThat(NodeFixture.json(invalid).getString("code")).isEqualTo("draft_invalid");
    assertThat(NodeFixture.json(invalid).getJsonArray("errors")).hasSize(2);
    assertThat(send(two, "GET", PATH, "", "a-guess").statusCode()).isEqualTo(401);
    assertThat(found(one)).isEqualTo(new JsonObject());
  }
}
