package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.Policy;
import io.weir.keys.directory.StrandedKeys;
import io.weir.keys.store.RedisRecords;
import io.weir.node.admin.StrandedRecords;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import io.weir.state.connection.RedisConnections;
import io.weir.state.document.PolicyDocuments;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A policy that leaves stored keys without limits is refused unless the operator insists. */
@Tag("operators")
final class StrandedKeysIT {
  private static final String BUCKETS = """
      buckets:
        - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask] }] }
        - { name: few, scope: key, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
      """;
  private static final String POLICY = BUCKETS + """
      plans:
        big: { buckets: [many] }
        small: { buckets: [few] }
      defaults: { plan: big }
      """;
  private static final String WITHOUT_SMALL =
      POLICY.replace("  small: { buckets: [few] }", "  tiny: { buckets: [few] }");

  @AutoClose
  private NodeFixture fixture;

  private Operating operator;

  @BeforeEach
  void start() {
    fixture = NodeFixture.withOwnRedis(POLICY, FailureMode.DENY);
    operator = Operating.on(fixture);
  }

  private HttpResponse<String> put(String query, String policy) {
    return operator.ask("PUT", "/v1/policy" + query, policy);
  }

  private static JsonObject stranded(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
    JsonObject problem = NodeFixture.json(answer);
    assertThat(problem.getString("code")).isEqualTo("records_stranded");
    return problem;
  }

  @Test
  void aPolicyWithoutThePlanOfKeysIsRefusedWithTheirNumberUnlessForced() {
    operator.made("/v1/keys", "{\"tenant\": \"acme\"}");
    operator.made("/v1/keys", "{\"tenant\": \"acme\", \"plan\": \"small\"}");
    operator.made("/v1/tenants", "{\"id\": \"corp\", \"plan\": \"small\"}");
    String key = operator.key("corp").getString("key");

    JsonObject problem = stranded(put("?dryRun=true", WITHOUT_SMALL));
    assertThat(problem.getJsonObject("plans").getMap()).isEqualTo(Map.of("small", 3));
    assertThat(problem.getString("errors")).contains("the plan small", "3");
    assertThat(problem.getBoolean("isWhole")).isTrue();
    assertThat(stranded(put("", WITHOUT_SMALL)).getJsonObject("plans"))
        .isEqualTo(problem.getJsonObject("plans"));
    assertThat(operator.check(key).statusCode()).isEqualTo(200);

    assertThat(put("?force=true", WITHOUT_SMALL).statusCode()).isEqualTo(200);
    HttpResponse<String> refused = operator.check(key);
    assertThat(NodeFixture.json(refused).getString("code")).isEqualTo("plan_missing");
    // Only an operator can mend this: the answer promises no wait.
    assertThat(refused.headers().firstValue("Retry-After")).isEmpty();
    // What is stranded already is not a reason to refuse the next change.
    assertThat(put("", WITHOUT_SMALL + "# the same\n").statusCode()).isEqualTo(200);
  }

  @Test
  void aRollbackAndAChangeOfOneValueAreRefusedLikewise() {
    assertThat(put("", WITHOUT_SMALL).statusCode()).isEqualTo(200);
    operator.made("/v1/keys", "{\"tenant\": \"acme\", \"plan\": \"tiny\"}");
    JsonObject rollback =
        stranded(operator.ask("POST", "/v1/policy/rollback", "{\"revision\": 1}"));
    assertThat(rollback.getJsonObject("plans").getMap()).isEqualTo(Map.of("tiny", 1));

    operator.made("/v1/keys", """
        {"tenant": "acme", "plan": "tiny", "overrides": [{"bucket": "few", "opsPerSec": 5}]}""");
    JsonObject change = stranded(operator.ask(
        "PATCH", "/v1/policy", "{\"path\": \"/buckets/few/scope\", \"value\": \"tenant\"}"));
    assertThat(change.getString("errors")).contains("override_unmatched", "few");
  }

  @Test
  void aPolicyWithoutTheDefaultPlanOrABucketOfOverridesIsRefused() {
    operator.made("/v1/keys", """
        {"tenant": "acme", "overrides": [{"bucket": "many", "opsPerSec": 5}]}""");
    JsonObject withoutDefault =
        stranded(put("", POLICY.replace("defaults: { plan: big }", "defaults: {}")));
    assertThat(withoutDefault.getJsonObject("plans").getMap()).isEqualTo(Map.of("", 1));
    assertThat(withoutDefault.getString("errors")).contains("the default plan");

    JsonObject withoutBucket = stranded(
        put("", POLICY.replace("[many]", "[]").replace("[few]", "[many]").replace("[]", "[few]")));
    assertThat(withoutBucket.getString("errors"))
        .contains("override_unmatched", "many", "of 1 record:");
  }

  @Test
  void aPolicyWithoutABucketOfATenantsOverrideIsRefusedThoughOnlyARuleNamesTheTenant() {
    String ruled = POLICY.replace("few, scope: key", "few, scope: tenant")
        + "subjects: [{ match: \"user:*\", tenant: app, plan: small }]\n";
    assertThat(put("", ruled).statusCode()).isEqualTo(200);
    operator.made(
        "/v1/tenants",
        "{\"id\": \"app\", \"overrides\": [{\"bucket\": \"few\", \"opsPerSec\": 5}]}");

    JsonObject problem = stranded(put("", ruled.replace("few, scope: tenant", "few, scope: key")));

    assertThat(problem.getString("errors")).contains("override_unmatched", "few", "of 1 record:");
    assertThat(put("", ruled.replace("10, operations", "20, operations")).statusCode())
        .isEqualTo(200);
  }

  @Test
  void keysThatHaveEndedOrThatThePolicyListsDoNotCount() {
    String disabled =
        operator.made("/v1/keys", "{\"tenant\": \"acme\", \"plan\": \"small\"}").getString("id");
    String listed =
        operator.made("/v1/keys", "{\"tenant\": \"acme\", \"plan\": \"small\"}").getString("id");
    assertThat(operator
            .ask("PATCH", "/v1/keys/" + disabled, "{\"state\": \"disabled\"}")
            .statusCode())
        .isEqualTo(200);
    assertThat(put("", WITHOUT_SMALL + "subjects: { %s: { tenant: acme } }\n".formatted(listed))
            .statusCode())
        .isEqualTo(200);
  }

  @Test
  void aCountThatDoesNotReadAllRecordsSaysSo() throws Exception {
    for (int i = 0; i < 3; i++) {
      operator.made("/v1/keys", "{\"tenant\": \"acme\", \"plan\": \"small\"}");
    }
    Policy current = PolicyDocuments.parse("current", POLICY).policy();
    Policy candidate = PolicyDocuments.parse("candidate", WITHOUT_SMALL).policy();
    Vertx vertx = Vertx.vertx();
    try (RedisConnections redis =
        RedisConnections.open(fixture.redisUri(), Duration.ofMinutes(1))) {
      StrandedRecords some = new StrandedKeys(vertx, new RedisRecords(redis), id -> 1, 2)
          .by(current, candidate)
          .toCompletionStage()
          .toCompletableFuture()
          .get(20, TimeUnit.SECONDS);
      assertThat(some.plans()).isEqualTo(Map.of("small", 2L));
      assertThat(some.isWhole()).isFalse();
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void theCommandNamesThePlansAndTakesForce(@TempDir Path folder) throws IOException {
    operator.made("/v1/keys", "{\"tenant\": \"acme\", \"plan\": \"small\"}");
    Path file = Files.writeString(folder.resolve("policy.yaml"), WITHOUT_SMALL);
    StringWriter err = new StringWriter();
    assertThat(weir(err, "policy", "apply", file.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("records_stranded", "the plan small", "--force");
    assertThat(weir(err, "policy", "apply", "--force", file.toString())).isZero();
  }

  private int weir(StringWriter err, String... words) {
    String[] all = new String[words.length + 4];
    System.arraycopy(words, 0, all, 0, words.length);
    String[] to = {"--node", fixture.uri("/").toString(), "--admin-token", NodeFixture.ADMIN};
    System.arraycopy(to, 0, all, words.length, to.length);
    return WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(new StringWriter()))
        .setErr(new PrintWriter(err))
        .execute(all);
  }
}
