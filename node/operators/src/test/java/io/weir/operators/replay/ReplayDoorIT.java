package io.weir.operators.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A log that an operator sends, under the policy in force and under a draft. */
final class ReplayDoorIT {
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask } }
      buckets:
        - { name: requests, burstPeriod: 1, throttleGroups: [{ opsPerSec: 4, operations: [Ask] }] }
      plans: { free: { buckets: [requests] } }
      defaults: { plan: free }
      """;
  // Eight requests of one caller within a second.
  private static final String LOG = IntStream.range(0, 8)
      .mapToObj(i ->
          "10.0.0.1 - alice [01/Jan/2030:00:00:00 +0000] \"GET /ask HTTP/1.1\" 200 %d".formatted(i))
      .collect(Collectors.joining("\n"));

  @AutoClose
  private static final NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY);

  private static HttpResponse<String> replay(JsonObject body) {
    return node.send(HttpRequest.newBuilder(node.uri("/v1/replay"))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .POST(BodyPublishers.ofString(body.encode())));
  }

  private static JsonObject policy(JsonObject told, int number) {
    return told.getJsonArray("policies").getJsonObject(number);
  }

  @Test
  void aLogIsJudgedByThePolicyInForceAndTheDraft() {
    HttpResponse<String> answer = replay(new JsonObject()
        .put("log", LOG)
        .put("policy", POLICY.replace("opsPerSec: 4", "opsPerSec: 2")));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonObject told = NodeFixture.json(answer);
    assertThat(told.getLong("lines")).isEqualTo(8);
    assertThat(policy(told, 0).getString("policy")).isEqualTo("in force");
    assertThat(policy(told, 1).getString("policy")).isEqualTo("draft");
    assertThat(policy(told, 0).getLong("admitted")).isBetween(4L, 7L);
    assertThat(policy(told, 1).getLong("admitted")).isLessThan(policy(told, 0).getLong("admitted"));
    assertThat(policy(told, 1).getJsonObject("onlyHere").getLong("total"))
        .isEqualTo(policy(told, 0).getLong("admitted") - policy(told, 1).getLong("admitted"));
    assertThat(policy(told, 0).getJsonObject("onlyHere").getLong("total")).isZero();
  }

  @Test
  void withoutADraftThereIsThePolicyInForceAlone() {
    JsonObject told = NodeFixture.json(replay(new JsonObject()
        .put("log", "{\"time\": 1893456000, \"key\": \"bob\", \"path\": \"/ask\"}\nnothing")
        .put("format", "json")));

    assertThat(told.getJsonArray("policies")).hasSize(1);
    assertThat(policy(told, 0).getLong("admitted")).isEqualTo(1);
    assertThat(told.getLong("unread")).isEqualTo(1);
  }

  @Test
  void allMistakesAreToldAndSoAreThoseOfTheDraft() {
    HttpResponse<String> wrong =
        replay(new JsonObject().put("lag", "").put("policy", 1).put("format", "csv"));
    assertThat(wrong.statusCode()).isEqualTo(422);
    assertThat(wrong.body()).contains("replay_invalid", "lag:", "log:", "policy:", "format:");

    HttpResponse<String> draft = replay(new JsonObject()
        .put("log", LOG)
        .put("policy", POLICY.replace("opsPerSec: 4", "opsPerSec: -1")));
    assertThat(draft.statusCode()).isEqualTo(422);
    assertThat(draft.body()).contains("policy_invalid", "\"line\":4");
    assertThat(
            node.post("/v1/replay", new JsonObject().put("log", LOG).encode()).statusCode())
        .isEqualTo(401);
  }
}
