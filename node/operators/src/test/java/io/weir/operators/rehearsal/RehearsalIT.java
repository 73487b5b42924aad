package io.weir.operators.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.SecretHash;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TwoNodes;
import io.weir.testkit.FaultProxy;
import io.weir.testkit.RedisProcess;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Limits in audit mode and candidates, on two nodes that share one Redis. */
@Tag("operators")
final class RehearsalIT {
  private static final String POLICY =
      """
      operations:
        - { name: Ask, match: { path: /ask } }
        - { name: Only, match: { path: /only } }
      buckets:
        - { name: requests, burstPeriod: 600, throttleGroups: [{ milliOpsPerSec: 100, operations: [Ask] }] }
        - { name: tighter, mode: audit, burstPeriod: 600, throttleGroups: [{ milliOpsPerSec: 10, operations: [Ask] }] }
        - { name: team, mode: audit, scope: tenant, burstPeriod: 600, throttleGroups: [{ milliOpsPerSec: 15, operations: [Only] }] }
        - { name: all, mode: audit, scope: cluster, burstPeriod: 600, throttleGroups: [{ milliOpsPerSec: 20, operations: [Only] }] }
      plans:
        free: { buckets: [requests, tighter, team, all] }
        trial: { mode: audit, buckets: [requests] }
      defaults: { plan: free }
      subjects:
        - { id: k1, tenant: acme, secretHash: "%1$s" }
        - { id: k2, tenant: acme, secretHash: "%1$s" }
        - { id: k3, tenant: other, secretHash: "%1$s" }
        - { id: t1, tenant: other, plan: trial, secretHash: "%1$s" }
      """.formatted(SecretHash.of("secret-of-all").formatted());

  @AutoClose
  private final TwoNodes nodes = TwoNodes.start(POLICY);

  private final RedisProcess redis = nodes.redis();
  private final NodeFixture one = nodes.one();
  private final NodeFixture two = nodes.two();

  private static HttpResponse<String> operator(
      NodeFixture node, String method, String path, String body) {
    return node.send(HttpRequest.newBuilder(node.uri(path))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .method(method, BodyPublishers.ofString(body)));
  }

  private static JsonObject ask(NodeFixture node, String key, String operation) {
    return NodeFixture.json(node.post(
        "/v1/check",
        new JsonObject()
            .put("key", key + ".secret-of-all")
            .put("operation", operation)
            .encode()));
  }

  private static JsonObject rehearsed(NodeFixture node) {
    HttpResponse<String> answer = operator(node, "GET", "/v1/rehearsal", "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return NodeFixture.json(answer);
  }

  private static JsonObject row(JsonObject account, String plan, String operation) {
    return account.getJsonArray("outcomes").stream()
        .map(JsonObject.class::cast)
        .filter(row ->
            row.getString("plan").equals(plan) && row.getString("operation").equals(operation))
        .findFirst()
        .orElse(new JsonObject());
  }

  @Test
  void aBucketInAuditModeDeniesNothingAndItsDenialsAreToldByAllNodes() {
    for (int i = 0; i < 10; i++) {
      JsonObject answer = ask(i % 2 == 0 ? one : two, "k1", "Ask");
      assertThat(answer.getString("decision")).isEqualTo("allowed");
      assertThat(answer.getJsonArray("limits").toString()).doesNotContain("tighter");
    }

    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      JsonObject audit = rehearsed(two).getJsonObject("audit");
      JsonObject row = row(audit, "free", "Ask");
      // The bucket holds six.
      assertThat(row.getLong("pass")).isEqualTo(6);
      assertThat(row.getLong("wouldDeny")).isEqualTo(4);
      assertThat(audit.getJsonObject("wouldDeny").getJsonArray("keys").getJsonObject(0))
          .isEqualTo(new JsonObject()
              .put("tenant", "acme")
              .put("key", "k1")
              .put("atLeast", 4)
              .put("atMost", 4));
    });
    JsonArray denials = NodeFixture.json(
            operator(two, "GET", "/v1/denials?key=k1&rehearsed=true", ""))
        .getJsonArray("denials");
    assertThat(denials.stream()
            .map(JsonObject.class::cast)
            .filter(denial -> denial.getString("outcome").equals("would_deny"))
            .map(denial -> denial.getString("reason")))
        .hasSize(4)
        .containsOnly("tighter");
    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      JsonObject cases = NodeFixture.json(operator(one, "GET", "/v1/cases?state=wouldbe", ""));
      assertThat(cases.getJsonArray("cases").stream()
              .map(JsonObject.class::cast)
              .filter(one -> one.getString("limit").equals("tighter")))
          .singleElement()
          .satisfies(one -> assertThat(one.getString("key")).isEqualTo("k1"))
          .satisfies(one -> assertThat(one.getLong("lastHour")).isEqualTo(4));
    });
    assertThat(operator(one, "GET", "/v1/cases", "").body()).doesNotContain("tighter");
    JsonObject explained = NodeFixture.json(operator(two, "GET", "/v1/explain?key=k1", ""));
    assertThat(explained.getJsonArray("decisions").toString()).doesNotContain("tighter");
    assertThat(explained.getJsonArray("limits").stream()
            .map(JsonObject.class::cast)
            .filter(limit -> limit.getBoolean("audit", false)))
        .anySatisfy(limit -> {
          assertThat(limit.getString("limit")).isEqualTo("tighter");
          assertThat(limit.getBoolean("full")).isTrue();
        });
    assertThat(explained.getJsonArray("words").toString()).contains("not enforced: tighter");
    assertThat(one.get("/metrics").body())
        .contains("throttle_rehearsed_total{")
        .contains("outcome=\"would_deny\"");
  }

  @Test
  void whatOnlyAuditBucketsLimitPassesUncounted() {
    for (int i = 0; i < 10; i++) {
      assertThat(ask(one, i % 2 == 0 ? "k1" : "k2", "Only").getString("decision"))
          .isEqualTo("allowed");
    }
    for (int i = 0; i < 4; i++) {
      assertThat(ask(two, "k3", "Only").getString("decision")).isEqualTo("allowed");
    }

    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      JsonObject row = row(rehearsed(one).getJsonObject("audit"), "free", "Only");
      // Nine of the tenant, and of the cluster twelve.
      assertThat(row.getLong("pass")).isEqualTo(12);
      assertThat(row.getLong("wouldDeny")).isEqualTo(2);
    });
    assertThat(ask(one, "k1", "Only").getJsonArray("limits")).isEmpty();
  }

  @Test
  void aPlanInAuditModeLimitsNothing() {
    for (int i = 0; i < 65; i++) {
      assertThat(ask(one, "t1", "Ask").getString("decision")).isEqualTo("allowed");
    }

    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(rehearsed(two).getJsonObject("audit").toString())
            .contains("\"plan\":\"trial\"", "\"wouldDeny\":5"));
  }

  @Test
  void aCandidateIsComparedOnAllNodesUntilItEnds() {
    String candidate = POLICY.replace("milliOpsPerSec: 100,", "milliOpsPerSec: 5,");
    HttpResponse<String> begun = operator(one, "PUT", "/v1/rehearsal?seconds=600", candidate);
    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(200);
    String id = NodeFixture.json(begun).getString("id");
    assertThat(rehearsed(one).containsKey("candidate"))
        .as("at the node that began it")
        .isTrue();
    await().atMost(Duration.ofMinutes(1)).until(() -> rehearsed(two).containsKey("candidate"));
    for (int i = 0; i < 8; i++) {
      assertThat(ask(i % 2 == 0 ? one : two, "k1", "Ask").getString("decision"))
          .isEqualTo("allowed");
    }

    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      JsonObject found = rehearsed(two).getJsonObject("candidate");
      assertThat(found.getString("id")).isEqualTo(id);
      assertThat(found.getString("by")).isEqualTo("admin");
      // Three fit into the candidate's bucket.
      JsonObject row = row(found, "free", "Ask");
      assertThat(row.getLong("pass")).isEqualTo(3);
      assertThat(row.getLong("wouldDeny")).isEqualTo(5);
    });
    assertThat(operator(two, "DELETE", "/v1/rehearsal", "").body()).contains("true");
    assertThat(rehearsed(two).containsKey("candidate")).isFalse();
    await().atMost(Duration.ofMinutes(1)).until(() -> !rehearsed(one).containsKey("candidate"));
    assertThat(operator(two, "DELETE", "/v1/rehearsal", "").body()).contains("false");
  }

  @Test
  void aBrokenCandidateIsRefusedWithItsProblems() {
    HttpResponse<String> refused = operator(
        one, "PUT", "/v1/rehearsal", POLICY.replace("milliOpsPerSec: 100,", "opsPerSec: -1,"));
    assertThat(refused.statusCode()).isEqualTo(422);
    assertThat(
            NodeFixture.json(refused).getJsonArray("problems").getJsonObject(0).getInteger("line"))
        .isPositive();
    assertThat(operator(one, "PUT", "/v1/rehearsal?seconds=0", POLICY).statusCode())
        .isEqualTo(400);
    assertThat(rehearsed(one).containsKey("candidate")).isFalse();
  }

  @Test
  void withoutRedisNothingIsRehearsedAndThatIsTold() {
    try (FaultProxy network = FaultProxy.before(redis.port());
        NodeFixture alone = NodeFixture.at(network.redisUri(), POLICY, FailureMode.DENY)) {
      ask(alone, "k1", "Ask");
      network.refuse(true);
      for (int i = 0; i < 3; i++) {
        ask(alone, "t1", "Ask");
      }

      await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
        JsonObject told = rehearsed(alone);
        assertThat(told.getInteger("nodesAnswered")).isEqualTo(1);
        assertThat(told.getJsonObject("audit").toString()).contains("\"unknown\":3");
      });
      // Another node may remember it.
      HttpResponse<String> denial = operator(alone, "GET", "/v1/denials/0123456789ab", "");
      assertThat(denial.statusCode()).isEqualTo(503);
      assertThat(denial.body()).contains("nodes_silent");
      assertThat(NodeFixture.json(operator(alone, "GET", "/v1/denials", "")).getString("redis"))
          .isEqualTo("away");
    }
  }
}
