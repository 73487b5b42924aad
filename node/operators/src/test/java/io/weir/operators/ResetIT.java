package io.weir.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TwoNodes;
import io.weir.testkit.RedisProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An operator lets a caller through whose limits are full; two nodes share the limits. */
@Tag("operators")
final class ResetIT {
  private static final String POLICY = """
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      operations:
        - { name: Ask, match: { path: /ask } }
      buckets:
        - { name: own, burstPeriod: 60, throttleGroups: [{ milliOpsPerSec: 100, operations: [Ask, Tell] }] }
        - { name: second, burstPeriod: 60, throttleGroups: [{ milliOpsPerSec: 100, operations: [Tell] }] }
        - { name: lent, leased: true, burstPeriod: 60, throttleGroups: [{ milliOpsPerSec: 100, operations: [Lend] }] }
        - { name: teams, scope: tenant, leased: true, burstPeriod: 60, throttleGroups: [{ milliOpsPerSec: 100, operations: [Team] }] }
        - { name: team, scope: tenant, burstPeriod: 60, throttleGroups: [{ milliOpsPerSec: 200, operations: [Share] }] }
      quotas:
        - { name: calls, scope: key, limit: 4, period: day, operations: [Ask] }
      subjects:
        k1: { tenant: acme }
        k2: { tenant: acme }
        k3: { tenant: other }
      """;

  @AutoClose
  private final TwoNodes nodes = TwoNodes.start(POLICY);

  private final RedisProcess redis = nodes.redis();
  private final NodeFixture one = nodes.one();
  private final NodeFixture two = nodes.two();

  private HttpResponse<String> operator(String method, String path, String body) {
    return one.send(HttpRequest.newBuilder(one.uri(path))
        .method(method, BodyPublishers.ofString(body))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN));
  }

  private String weir(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--node", one.uri("/").toString(), "--admin-token", NodeFixture.ADMIN));
    StringWriter out = new StringWriter();
    WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(out, true))
        .execute(all.toArray(String[]::new));
    return out.toString();
  }

  private static String ask(NodeFixture node, String subject, String operation, int cost) {
    JsonObject body =
        new JsonObject().put("subject", subject).put("operation", operation).put("cost", cost);
    return NodeFixture.json(
            node.post("/v1/check", body.encode(), "Authorization", "Bearer " + NodeFixture.SERVICE))
        .getString("decision");
  }

  private JsonArray reset(String body) {
    return reset("/v1/reset", body);
  }

  private JsonArray preview(String body) {
    return reset("/v1/reset?dryRun=true", body);
  }

  private JsonArray reset(String path, String body) {
    HttpResponse<String> answer = operator("POST", path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return NodeFixture.json(answer).getJsonArray("reset");
  }

  private static List<String> names(JsonArray reset) {
    return reset.stream()
        .map(JsonObject.class::cast)
        .map(it -> it.getString("kind") + " " + it.getString("limit", "-"))
        .sorted()
        .toList();
  }

  private static void passesSoon(NodeFixture node, String subject, String operation) {
    passesSoon(node, subject, operation, 1);
  }

  private static void passesSoon(NodeFixture node, String subject, String operation, int cost) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> ask(node, subject, operation, cost).equals("allowed"));
  }

  @Test
  void aKeyPassesOnAllNodesAfterItsReset() {
    assertThat(ask(one, "k1", "Ask", 4)).isEqualTo("allowed");
    assertThat(ask(one, "k1", "Tell", 2)).isEqualTo("allowed");
    assertThat(ask(one, "k1", "Ask", 1)).isEqualTo("denied");
    assertThat(ask(two, "k1", "Tell", 1)).isEqualTo("denied");

    assertThat(names(reset("{\"key\": \"k1\"}")))
        .contains("quota calls", "rate own", "rate second");

    passesSoon(one, "k1", "Ask");
    passesSoon(two, "k1", "Tell");
  }

  @Test
  void onlyWhatIsNamedIsForgotten() {
    ask(one, "k1", "Ask", 4);
    ask(one, "k1", "Tell", 2);

    assertThat(names(reset("{\"key\": \"k1\", \"limits\": [\"own\"]}")))
        .containsExactly("rate own");

    assertThat(ask(one, "k1", "Ask", 1)).isEqualTo("denied");
    assertThat(names(reset("{\"key\": \"k1\", \"limits\": [\"calls\"]}")))
        .containsExactly("quota calls");
    passesSoon(one, "k1", "Ask");
    assertThat(redis.ask("EXISTS weir:{72nw}:acme:key:k1")).contains("1");
  }

  @Test
  void leasedBucketsOfKeysAndTenantsAreForgotten() {
    // A lease that is over when the node gets it is spent by nobody: the call is denied.
    passesSoon(one, "k1", "Lend", 6);
    assertThat(ask(two, "k1", "Lend", 1)).isEqualTo("denied");
    passesSoon(one, "k2", "Team", 6);
    assertThat(ask(two, "k1", "Team", 1)).isEqualTo("denied");

    // A node reports what it has spent of its lease some milliseconds later.
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> assertThat(names(preview("{\"key\": \"k1\"}"))).containsExactly("rate lent"));
    assertThat(names(reset("{\"key\": \"k1\"}"))).containsExactly("rate lent");
    passesSoon(two, "k1", "Lend");
    assertThat(names(reset("{\"tenant\": \"acme\", \"limits\": [\"teams\"]}")))
        .containsExactly("rate teams");
    passesSoon(two, "k1", "Team");
  }

  @Test
  void aTenantsLimitsAreThoseThatItsKeysShare() {
    ask(one, "k2", "Share", 12);
    ask(one, "k1", "Ask", 4);
    assertThat(ask(one, "k1", "Share", 1)).isEqualTo("denied");

    assertThat(names(reset("{\"tenant\": \"acme\"}"))).contains("rate team");

    passesSoon(two, "k1", "Share");
    assertThat(ask(one, "k1", "Ask", 1)).isEqualTo("denied");
  }

  @Test
  void aDryRunForgetsNothingAndASecondResetFindsNothing() {
    ask(one, "k1", "Ask", 4);
    HttpResponse<String> dry = operator("POST", "/v1/reset?dryRun=true", "{\"key\": \"k1\"}");

    assertThat(NodeFixture.json(dry).getBoolean("dryRun")).isTrue();
    assertThat(names(NodeFixture.json(dry).getJsonArray("reset")))
        .contains("quota calls", "rate own");
    assertThat(ask(one, "k1", "Ask", 1)).isEqualTo("denied");
    assertThat(names(reset("{\"key\": \"k1\"}"))).contains("quota calls", "rate own");
    assertThat(reset("{\"key\": \"k1\"}")).isEmpty();
    assertThat(redis.ask("EXISTS weir:{72nw}:acme:key:k1")).contains("0");
  }

  @Test
  void theQueueOfAKeyIsForgotten() {
    ask(one, "k3", "Tell", 6);
    for (int i = 0; i < 3; i++) {
      ask(one, "k3", "Tell", 1);
    }
    assertThat(redis.ask("EXISTS weir:{33xe}:other:key:k3") + redis.ask("KEYS weir:*other*"))
        .contains("other:key:k3");
    assertThat(weir("reset", "k3", "--dry-run"))
        .containsPattern("own: callers wait for (1 slot|\\d+ slots)")
        .containsPattern("own: without a reset all free in \\d+(\\.\\d)? ")
        .doesNotContain("waiting", "tickets: 0");
    assertThat(weir("explain", "k3", "Tell"))
        .containsPattern("the last estimate that a caller has ends in \\d+")
        .doesNotContain("Z.");

    assertThat(names(reset("{\"key\": \"k3\"}")))
        .contains("queue own", "queue second", "rate own", "rate second");

    assertThat(redis.ask("KEYS weir:*other:key:k3*")).doesNotContain("tickets");
    passesSoon(one, "k3", "Tell");
  }

  @Test
  void whoWaitsForASharedBucketAloneIsForgottenToo() {
    ask(one, "k2", "Share", 12);
    for (int i = 0; i < 3; i++) {
      ask(one, "k1", "Share", 1);
    }
    assertThat(redis.ask("EXISTS weir:{72nw}:acme:key:k1")).contains("1");

    assertThat(weir("reset", "k1", "--dry-run")).isNotBlank();
    assertThat(names(reset("{\"key\": \"k1\"}"))).contains("queue -");

    assertThat(redis.ask("EXISTS weir:{72nw}:acme:key:k1")).contains("0");
  }

  @Test
  void aResetIsInTheAuditOnceWithItsOperator() {
    ask(one, "k1", "Ask", 4);
    reset("{\"key\": \"k1\"}");
    reset("{\"key\": \"k1\"}");

    String audit = redis.ask("XRANGE weir:keys:audit - +");
    assertThat(audit.split("key:k1", -1)).hasSize(2);
    assertThat(audit).contains("reset", "admin", "\"limit\":\"own\"");
  }

  @Test
  void mistakesAreAllToldAndNothingIsForgotten() {
    ask(one, "k1", "Ask", 4);

    HttpResponse<String> wrong =
        operator("POST", "/v1/reset", "{\"key\": \"\", \"tenant\": 5, \"all\": 1, \"queue\": 2}");
    assertThat(wrong.statusCode()).isEqualTo(422);
    assertThat(wrong.body()).contains("all: no such field", "key, tenant", "queue:", "key: (");
    HttpResponse<String> limit =
        operator("POST", "/v1/reset", "{\"key\": \"k1\", \"limits\": [\"own\", \"nope\"]}");
    assertThat(limit.statusCode()).isEqualTo(422);
    assertThat(limit.body()).contains("'nope' (expected: calls, lent, own, second)");
    assertThat(operator("POST", "/v1/reset", "{\"key\": \"nobody\"}").statusCode())
        .isEqualTo(404);
    assertThat(one.post("/v1/reset", "{\"key\": \"k1\"}").statusCode()).isEqualTo(401);
    assertThat(ask(one, "k1", "Ask", 1)).isEqualTo("denied");
  }
}
