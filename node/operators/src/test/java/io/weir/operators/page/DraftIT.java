package io.weir.operators.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The draft of an operator's session is one of the cluster: every node knows it, until the operator signs out. */
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
    long left = Long.parseLong(redis.ask("PTTL weir:drafts:admin").substring(1));
    assertThat(left).isBetween(1L, 12L * 3600 * 1000);

    JsonObject later = DRAFT.copy().put("text", "buckets: []\n").put("other", "is not kept");
    assertThat(put(two, later)).isEqualTo(204);
    assertThat(found(one).getString("text")).isEqualTo("buckets: []\n");
    assertThat(found(one).containsKey("other")).isFalse();
    assertThat(send(two, "DELETE", PATH, "", NodeFixture.ADMIN).statusCode()).isEqualTo(204);
    assertThat(found(one)).isEqualTo(new JsonObject());
  }

  /** A browser that is signed in. */
  private record Session(String cookie, String csrf) {
    static Session begin() {
      HttpResponse<String> begun = send(one, "POST", "/v1/session", "", NodeFixture.ADMIN);
      return new Session(
          begun.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0],
          NodeFixture.json(begun).getString("csrf"));
    }

    HttpResponse<String> call(NodeFixture node, String method, String path, String body) {
      return node.send(HttpRequest.newBuilder(node.uri(path))
          .method(method, BodyPublishers.ofString(body))
          .headers("Cookie", cookie, "Weir-Csrf", csrf));
    }

    void put(String text, long at) {
      assertThat(call(one, "PUT", PATH, draft(text, at).encode()).statusCode()).isEqualTo(204);
    }

    JsonObject found() {
      return NodeFixture.json(call(two, "GET", PATH, ""));
    }
  }

  private static JsonObject draft(String text, long at) {
    return new JsonObject().put("text", text).put("at", at);
  }

  @Test
  void eachSessionHasItsDraftAndSeesTheNewestOneOfTheOthers() {
    Session ann = Session.begin();
    Session ben = Session.begin();
    Session coe = Session.begin();
    ann.put("of ann", 3);
    ben.put("of ben", 2);

    assertThat(ann.found()).isEqualTo(draft("of ann", 3).put("other", draft("of ben", 2)));
    assertThat(ben.found()).isEqualTo(draft("of ben", 2).put("other", draft("of ann", 3)));
    // The one that was kept last, whatever the clock of its browser says.
    assertThat(coe.found()).isEqualTo(new JsonObject().put("other", draft("of ben", 2)));

    assertThat(ben.call(two, "DELETE", PATH, "").statusCode()).isEqualTo(204);
    assertThat(ben.found()).isEqualTo(new JsonObject().put("other", draft("of ann", 3)));
    assertThat(ann.call(two, "DELETE", "/v1/session", "").statusCode()).isEqualTo(204);
    assertThat(coe.found()).isEqualTo(new JsonObject());
  }

  @Test
  void ofTooManyDraftsOfAnOperatorTheOldestIsForgotten() {
    List<Session> all = Stream.generate(Session::begin).limit(9).toList();
    all.forEach(each -> each.put("of one", 1));
    all.get(8).put("newer", 2);

    assertThat(redis.ask("HLEN weir:drafts:admin")).isEqualTo(":8");
    assertThat(all.get(0).found()).isEqualTo(new JsonObject().put("other", draft("newer", 2)));
    assertThat(all.get(1).found().getString("text")).isEqualTo("of one");
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
