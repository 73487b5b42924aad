package io.weir.operators.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.operators.nodes.RedisNodes.SeenNode;
import io.weir.operators.status.ClusterStatus.NodeAnswers;
import io.weir.state.policy.PastRevision;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The verdict, from what the nodes say of themselves. */
final class ClusterStatusTest {
  private static final Instant AT = Instant.parse("2026-01-02T03:04:05Z");

  private final ClusterStatus status = new ClusterStatus(
      revision -> revision == 3
          ? Optional.of(new PastRevision(3, AT.minusSeconds(600).toEpochMilli(), "admin", "", 10))
          : Optional.empty(),
      () -> "Until then …");

  private static JsonObject node(String listens, long revision, JsonObject... findings) {
    return new JsonObject()
        .put("listens", listens)
        .put("revision", revision)
        .put("revisionSince", AT.minusSeconds(60).toString())
        .put("away", 0.0)
        .put("findings", new JsonArray(Arrays.asList(findings)));
  }

  private static JsonObject finding(String code, int secondsAgo, String what) {
    return new Finding(code, "", AT.minusSeconds(secondsAgo), what, "Do it.", List.of()).toJson();
  }

  private JsonObject of(List<JsonObject> nodes) {
    return status.of(new NodeAnswers(nodes, nodes.size(), List.of(), false), AT);
  }

  private static List<String> codes(JsonObject verdict) {
    return verdict.getJsonArray("findings").stream()
        .map(one -> ((JsonObject) one).getString("code"))
        .toList();
  }

  @Test
  void aSoundClusterNeedsNobody() {
    JsonObject verdict =
        of(List.of(node("a", 3).put("redisP99Ms", 2.5), node("b", 3).put("redisP99Ms", 4.0)));
    assertThat(verdict)
        .isEqualTo(new JsonObject()
            .put("at", AT.toString())
            .put("needsYou", false)
            .put("findings", new JsonArray())
            .put(
                "nodes",
                new JsonObject().put("asked", 2).put("answered", 2).put("unseen", new JsonArray()))
            .put("requests", requests(0, 0).put("words", "no requests in the last minute"))
            .put("redis", new JsonObject().put("state", "answers").put("p99Ms", 4.0))
            .put(
                "policy",
                new JsonObject()
                    .put("revision", 3L)
                    .put("since", AT.minusSeconds(600).toString())
                    .put("by", "admin")));
  }

  private static JsonObject requests(long lastMinute, long denied) {
    return new JsonObject().put("lastMinute", lastMinute).put("denied", denied);
  }

  private static JsonObject deciding(String listens, RecentRequests requests, int quietSeconds) {
    return node(listens, 3)
        .put("requests", requests.toJson())
        .put("quietSince", AT.minusSeconds(quietSeconds).toString());
  }

  @Test
  void theVerdictTellsTheShareOfDenialsBesideTheUsualOne() {
    JsonObject known = deciding("a", new RecentRequests(800, 590, 1000, 720), 900);
    JsonObject young = deciding("b", new RecentRequests(200, 150, 0, 0), 900);
    assertThat(of(List.of(known, young)).getJsonObject("requests"))
        .isEqualTo(requests(1000, 740)
            .put("usuallyDeniedPercent", 72L)
            .put("words", "74 % denied, usually 72 % in this hour"));
    assertThat(of(List.of(young)).getJsonObject("requests"))
        .isEqualTo(requests(200, 150).put("words", "75 % denied, nothing yet to compare it with"));
    assertThat(words(new RecentRequests(1000, 4, 1000, 6)))
        .isEqualTo("below 1 % denied, usually 1 % in this hour");
    assertThat(words(new RecentRequests(1000, 0, 1000, 6))).isEqualTo("none denied");
  }

  private String words(RecentRequests requests) {
    return of(List.of(deciding("a", requests, 1))).getJsonObject("requests").getString("words");
  }

  @Test
  void nothingNeedsAnybodySinceTheLastNodeBecameQuietOrStarted() {
    RecentRequests none = new RecentRequests(0, 0, 0, 0);
    JsonObject early = deciding("a", none, 900);
    JsonObject late = deciding("b", none, 300);
    assertThat(of(List.of(early, late)).getString("quietSince"))
        .isEqualTo(AT.minusSeconds(300).toString());
    assertThat(of(List.of(early, node("of an older version", 3))).containsKey("quietSince"))
        .isFalse();
    assertThat(
            of(List.of(early, node("b", 3, finding("undecided", 5, "a")))).getString("quietSince"))
        .isNull();
  }

  @Test
  void troublesBetweenNodesEndTheQuiet() {
    List<JsonObject> quiet = List.of(deciding("a", new RecentRequests(0, 0, 0, 0), 900));
    JsonObject missed = status.of(new NodeAnswers(quiet, 2, List.of(), false), AT.minusSeconds(30));
    assertThat(missed.containsKey("quietSince")).isFalse();
    assertThat(of(quiet).getString("quietSince")).isEqualTo(AT.minusSeconds(30).toString());
  }

  @Test
  void aNodeThatHasEndedIsNamedWithItsTimeAndNeedsNobody() {
    SeenNode ended = new SeenNode(
        "c", AT.minusSeconds(180), node("10.0.0.3:8080", 2, finding("undecided", 200, "old")));
    JsonObject verdict =
        status.of(new NodeAnswers(List.of(node("a", 3)), 1, List.of(ended), false), AT);
    assertThat(verdict.getBoolean("needsYou")).isFalse();
    assertThat(verdict.getJsonObject("nodes"))
        .isEqualTo(new JsonObject()
            .put("asked", 1)
            .put("answered", 1)
            .put(
                "unseen",
                JsonArray.of(new JsonObject()
                    .put("listens", "10.0.0.3:8080")
                    .put("seen", AT.minusSeconds(180).toString()))));
  }

  @Test
  void whatSeveralNodesSeeIsOneFindingSinceTheFirstSawIt() {
    JsonObject verdict = of(List.of(
        node("b", 4, finding("redis_slow", 10, "later"), finding("of_a_newer_node", 99, "new")),
        node("a", 4, finding("undecided", 5, "other"), finding("redis_slow", 20, "first"))));
    assertThat(verdict.getBoolean("needsYou")).isTrue();
    assertThat(codes(verdict)).containsExactly("undecided", "redis_slow", "of_a_newer_node");
    assertThat(verdict.getJsonArray("findings").getJsonObject(1))
        .isEqualTo(finding("redis_slow", 20, "first").put("nodes", JsonArray.of("a", "b")));
    assertThat(verdict.getJsonObject("policy")).isEqualTo(new JsonObject().put("revision", 4L));
  }

  @Test
  void aPolicyThatSomeNodesDoNotHaveIsFoundAfterTenSeconds() {
    JsonObject newer = node("a", 3).put("revisionSince", AT.minusSeconds(9).toString());
    JsonObject older = node("b", 2).put("revisionSince", AT.minusSeconds(500).toString());
    assertThat(codes(of(List.of(newer, older)))).isEmpty();
    newer.put("revisionSince", AT.minusSeconds(10).toString());
    JsonObject found = of(List.of(newer, older)).getJsonArray("findings").getJsonObject(0);
    assertThat(found.getString("code")).isEqualTo("policy_differs");
    assertThat(found.getString("since")).isEqualTo(AT.minusSeconds(10).toString());
    assertThat(found.getString("what")).isEqualTo("Some nodes still have policy 2, others 3");
  }

  @Test
  void nodesThatDoNotAnswerAreMissedSinceTheFirstLook() {
    List<JsonObject> one = List.of(node("a", 3));
    status.of(new NodeAnswers(one, 3, List.of(), false), AT.minusSeconds(30));
    JsonObject found = status
        .of(new NodeAnswers(one, 2, List.of(), false), AT)
        .getJsonArray("findings")
        .getJsonObject(0);
    assertThat(found.getString("what")).isEqualTo("1 of 2 nodes does not answer");
    assertThat(found.getString("since")).isEqualTo(AT.minusSeconds(30).toString());
    assertThat(codes(of(one))).isEmpty();
  }

  @Test
  void aNodeThatStartsMayMissItsFirstQuestionWhereSomebodyLooksAllTheTime() {
    List<JsonObject> one = List.of(node("a", 3));
    NodeAnswers missed = new NodeAnswers(one, 2, List.of(), false);
    of(one);
    assertThat(codes(status.of(missed, AT.plusSeconds(2)))).isEmpty();
    assertThat(codes(status.of(missed, AT.plusSeconds(4)))).isEmpty();
    assertThat(codes(status.of(missed, AT.plusSeconds(6)))).containsExactly("nodes_silent");
  }

  @Test
  void redisThatIsAwayIsOneFindingWhoeverSeesIt() {
    JsonObject node = node(
            "a",
            3,
            finding("redis_away", 20, "Redis is away"),
            finding("redis_slow", 60, "Redis takes 134 ms for one call in a hundred"))
        .put("away", 1.0);
    JsonObject verdict = status.of(new NodeAnswers(List.of(node), 1, List.of(), true), AT);
    assertThat(codes(verdict)).containsExactly("redis_away");
    assertThat(verdict.getJsonArray("findings").getJsonObject(0).getString("since"))
        .isEqualTo(AT.minusSeconds(20).toString());
    assertThat(verdict.getJsonObject("redis").getString("state")).isEqualTo("away");
  }

  @Test
  void aPartOfRedisMayBeAway() {
    JsonObject redis = of(List.of(node("a", 3).put("away", 0.25))).getJsonObject("redis");
    assertThat(redis.getString("state")).isEqualTo("partly_away");
  }
}
