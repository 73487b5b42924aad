package io.weir.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TwoNodes;
import io.weir.testkit.RedisProcess;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What operators know of the policies before the one in force, and how two of them do not overwrite each other. */
final class PolicyHistoryIT {
  private static final String POLICY = """
      # A comment that stays.
      buckets:
        - { name: requests, burstPeriod: 10, throttleGroups: [{ opsPerSec: %d, operations: [Ask] }] }
      subjects:
        k1: { tenant: acme }
      """;

  @AutoClose
  private final TwoNodes nodes = TwoNodes.start(POLICY.formatted(1));

  private final RedisProcess redis = nodes.redis();
  private final NodeFixture one = nodes.one();
  private final NodeFixture two = nodes.two();

  private static HttpResponse<String> ask(
      NodeFixture node, String method, String path, String body, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(node.uri(path))
        .method(method, BodyPublishers.ofString(body))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN);
    return node.send(headers.length == 0 ? request : request.headers(headers));
  }

  private static JsonObject put(NodeFixture node, int rate, String comment) {
    HttpResponse<String> answer =
        ask(node, "PUT", "/v1/policy?comment=" + comment, POLICY.formatted(rate));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return NodeFixture.json(answer);
  }

  private static List<JsonObject> history(NodeFixture node) {
    return NodeFixture.json(ask(node, "GET", "/v1/policy/revisions", ""))
        .getJsonArray("revisions", new JsonArray())
        .stream()
        .map(JsonObject.class::cast)
        .toList();
  }

  private static void tells(HttpResponse<String> answer, int status, String... texts) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(List.of(texts)).allSatisfy(text -> assertThat(answer.body()).contains(text));
  }

  @Test
  void theRevisionsAreListedWithWhoWhenAndWhy() {
    put(one, 2, "second");
    put(two, 3, "");

    List<JsonObject> revisions = history(two);

    assertThat(revisions.stream().map(it -> it.getLong("revision"))).containsExactly(3L, 2L, 1L);
    assertThat(revisions.stream().map(it -> it.getString("by")))
        .containsExactly("admin", "admin", "node");
    assertThat(revisions.stream().map(it -> it.getString("comment")))
        .containsExactly("", "second", "the first policy");
    assertThat(Instant.parse(revisions.get(0).getString("at")))
        .isAfterOrEqualTo(Instant.parse(revisions.get(1).getString("at")));
    tells(ask(two, "GET", "/v1/policy/revisions/2", ""), 200, "opsPerSec: 2");
    tells(ask(two, "GET", "/v1/policy/revisions/3", ""), 200, "opsPerSec: 3");
    tells(ask(two, "GET", "/v1/policy/revisions/9", ""), 404, "revision_unknown");
    assertThat(redis.ask("XRANGE weir:keys:audit - +")).contains("publish", "policy", "second");
  }

  @Test
  void aDifferenceIsToldLineByLine() {
    assertThat(put(one, 2, "").getString("diff"))
        .contains("-  - { name: requests, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1,")
        .contains("+  - { name: requests, burstPeriod: 10, throttleGroups: [{ opsPerSec: 2,");
    put(one, 3, "");

    tells(ask(two, "GET", "/v1/policy/diff", ""), 200, "--- revision 2", "+++ revision 3");
    tells(
        ask(two, "GET", "/v1/policy/diff?from=3&to=1", ""),
        200,
        "--- revision 3",
        "+++ revision 1",
        "opsPerSec: 3");
    assertThat(ask(two, "GET", "/v1/policy/diff?from=3&to=3", "").body()).isEmpty();
    tells(ask(two, "GET", "/v1/policy/diff?from=x", ""), 400, "from:");
    HttpResponse<String> rehearsed = ask(two, "PUT", "/v1/policy?dryRun=true", POLICY.formatted(4));
    tells(rehearsed, 200, "+++ draft", "opsPerSec: 4");
    assertThat(history(one)).hasSize(3);
  }

  @Test
  void whoComesSecondHearsWhatHasChanged() {
    String seen = ask(one, "GET", "/v1/policy", "").headers().firstValue("ETag").orElseThrow();
    put(two, 7, "");

    HttpResponse<String> late =
        ask(one, "PUT", "/v1/policy", POLICY.formatted(8), "If-Match", seen);

    tells(
        late,
        412,
        "policy_changed",
        "than If-Match names: 2",
        "--- revision 1",
        "+++ revision 2",
        "opsPerSec: 7");
    assertThat(NodeFixture.json(late).getLong("revision")).isEqualTo(2);
    tells(ask(one, "PUT", "/v1/policy", POLICY.formatted(8), "If-Match", "\"2\""), 200);
  }

  @Test
  void ofTwoOperatorsAtOnceOneHearsTheDifference() {
    for (int round = 1; round <= 10; round++) {
      String tag = "\"%d\"".formatted(round);
      List<CompletableFuture<HttpResponse<String>>> both = new ArrayList<>();
      for (NodeFixture node : List.of(one, two)) {
        String text = POLICY.formatted(round * 10 + both.size());
        both.add(CompletableFuture.supplyAsync(
            () -> ask(node, "PUT", "/v1/policy", text, "If-Match", tag)));
      }
      List<HttpResponse<String>> answers =
          both.stream().map(CompletableFuture::join).toList();
      assertThat(answers.stream().map(HttpResponse::statusCode))
          .containsExactlyInAnyOrder(200, 412);
      assertThat(answers.stream().filter(it -> it.statusCode() == 412))
          .allSatisfy(loser -> tells(loser, 412, "\"diff\"", "opsPerSec"));
    }
    assertThat(history(one)).hasSize(11);
  }

  @Test
  void anEarlierRevisionIsPutInForceAgain() {
    put(one, 2, "");
    put(one, 3, "");

    HttpResponse<String> back = ask(two, "POST", "/v1/policy/rollback", "{\"revision\": 1}");

    tells(back, 200, "\"revision\":4");
    tells(ask(one, "GET", "/v1/policy/revisions/4", ""), 200, "opsPerSec: 1");
    assertThat(history(one).get(0).getString("comment")).isEqualTo("back to revision 1");
    tells(ask(two, "POST", "/v1/policy/rollback", "{\"revision\": 99}"), 404, "revision_unknown");
    tells(ask(two, "POST", "/v1/policy/rollback", "{\"revision\": \"1\"}"), 422, "the body:");
  }

  @Test
  void theTextInForceIsNoNewRevision() {
    put(one, 2, "second");
    String present = "{\"path\": \"/buckets/requests/throttleGroups/0/opsPerSec\", \"value\": 2}";
    String audit = redis.ask("XLEN weir:keys:audit");

    for (NodeFixture node : List.of(one, two)) {
      assertThat(put(node, 2, "again")).isEqualTo(new JsonObject("""
              {"revision": 2, "warnings": [], "diff": "", "unchanged": true}"""));
      String[] tag = {"If-Match", "\"2\""};
      tells(ask(node, "PATCH", "/v1/policy", present, tag), 200, "2,", "\"unchanged\":true");
      tells(ask(node, "POST", "/v1/policy/rollback", "{\"revision\": 2}"), 200, "unchanged");
      tells(
          ask(node, "PUT", "/v1/policy", POLICY.formatted(2), "If-Match", "\"1\""),
          412,
          "policy_changed",
          "opsPerSec: 2");
    }

    assertThat(history(one)).hasSize(2);
    assertThat(redis.ask("XLEN weir:keys:audit")).isEqualTo(audit);
    HttpResponse<String> commented = ask(one, "PUT", "/v1/policy", POLICY.formatted(2) + "# why\n");
    tells(commented, 200, "\"revision\":3", "+# why");
    assertThat(NodeFixture.json(commented).containsKey("unchanged")).isFalse();
  }

  @Test
  void oneValueIsChangedAndTheTextStays() {
    String path = "/buckets/requests/throttleGroups/0/opsPerSec";
    String patch = new JsonObject().put("path", path).put("value", 55).encode();

    tells(ask(two, "PATCH", "/v1/policy", patch, "If-Match", "\"1\""), 200, "\"revision\":2");

    tells(
        ask(one, "GET", "/v1/policy/revisions/2", ""),
        200,
        "# A comment that stays.",
        "opsPerSec: 55");
    assertThat(history(one).get(0).getString("comment")).isEqualTo("set " + path);
    tells(ask(two, "PATCH", "/v1/policy", patch, "If-Match", "\"1\""), 412, "opsPerSec: 55");
    tells(
        ask(two, "PATCH", "/v1/policy", patch.replace("requests", "nothing")),
        422,
        "/buckets/nothing: there is no such value (expected: requests)");
    tells(ask(two, "PATCH", "/v1/policy", patch.replace("55", "-1")), 422, "policy_invalid");
    assertThat(history(one)).hasSize(2);
  }

  @Test
  void aDefaultAndAListAreSetAndAMistakeIsNotAdded() {
    tells(ask(two, "PATCH", "/v1/policy", set("/defaults/scope", "tenant")), 200, "\"revision\":2");
    tells(ask(two, "PATCH", "/v1/policy", """
            {"path": "/buckets/requests/throttleGroups/0/operations", "value": ["Ask", "Tell"]}"""), 200, "\"revision\":3");
    tells(
        ask(one, "GET", "/v1/policy/revisions/3", ""),
        200,
        "# A comment that stays.",
        "defaults: { scope: \"tenant\" }",
        "operations: [\"Ask\",\"Tell\"]");
    tells(
        ask(two, "PATCH", "/v1/policy", set("/defaults/scop", "key")),
        422,
        "/defaults/scop: there is no such value (expected: scope");
    tells(ask(two, "PATCH", "/v1/policy", set("/plans/x/frozen", "true")), 422, "/plans/x");
    tells(ask(two, "PATCH", "/v1/policy", "{\"path\": \"/plans\", \"value\": null}"), 422, "value");
    assertThat(history(one)).hasSize(3);
  }

  private static String set(String path, String value) {
    return new JsonObject().put("path", path).put("value", value).encode();
  }

  @Test
  void twoValuesThatAreChangedAtOnceAreBothChanged() {
    String bucket = "/buckets/requests/";
    List<String> paths = List.of(bucket + "burstPeriod", bucket + "throttleGroups/0/opsPerSec");
    for (int round = 1; round <= 5; round++) {
      int value = 20 + round;
      List<CompletableFuture<HttpResponse<String>>> both = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        NodeFixture node = i == 0 ? one : two;
        String patch =
            new JsonObject().put("path", paths.get(i)).put("value", value).encode();
        both.add(CompletableFuture.supplyAsync(() -> ask(node, "PATCH", "/v1/policy", patch)));
      }
      both.forEach(answer -> tells(answer.join(), 200));
      String text = redis.ask("HGET weir:policy document");
      assertThat(text).contains("burstPeriod: " + value, "opsPerSec: " + value);
    }
  }

  @Test
  void aPolicyWithoutAHistoryIsListedOnceItIsReplaced() {
    redis.ask("HDEL weir:policy revisions about:1");
    put(one, 2, "");

    assertThat(history(one).stream().map(it -> it.getLong("revision"))).containsExactly(2L, 1L);
    tells(ask(one, "GET", "/v1/policy/diff", ""), 200, "--- revision 1", "+++ revision 2");
  }

  @Test
  void theLastFiftyRevisionsAreKept() {
    IntStream.rangeClosed(2, 56).forEach(i -> put(i % 2 == 0 ? one : two, i, ""));

    List<JsonObject> revisions = history(one);

    assertThat(revisions).hasSize(50);
    assertThat(revisions.get(0).getLong("revision")).isEqualTo(56);
    tells(ask(one, "GET", "/v1/policy/revisions/7", ""), 200);
    tells(ask(one, "GET", "/v1/policy/revisions/6", ""), 404);
    // Eight fields of the present one, fifty lines about revisions, forty-nine documents.
    assertThat(redis.ask("HLEN weir:policy")).contains(Integer.toString(8 + 50 + 49));
  }

  @Test
  void onlyOperatorsMay() {
    for (String path :
        List.of("/v1/policy/revisions", "/v1/policy/revisions/1", "/v1/policy/diff")) {
      assertThat(one.get(path).statusCode()).isEqualTo(401);
    }
    assertThat(one.post("/v1/policy/rollback", "{\"revision\": 1}").statusCode())
        .isEqualTo(401);
    tells(ask(one, "PUT", "/v1/policy?comment=a%0Ab", POLICY.formatted(1)), 400, "comment:");
    tells(ask(one, "PUT", "/v1/policy?comment=a%E2%80%AEb", POLICY.formatted(1)), 400, "comment:");
  }
}
