package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Records of subjects whose names are no ids of keys. */
final class SubjectRecordsIT {
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask } }
        - { name: Open, match: { path: /open }, identity: [anonymous] }
      buckets:
        - { name: calls, burstPeriod: 1000, throttleGroups: [{ milliOpsPerSec: 3, operations: [Ask, Open] }] }
      plans: { free: { buckets: [calls] } }
      defaults: { plan: free }
      subjects: [{ match: "user:*", tenant: app, plan: free }]
      identity:
        header: { name: X-User, from: [127.0.0.1] }
        anonymous: { tenant: public, prefix: "ip:" }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      """;
  private static final String FROZEN = "{\"state\": \"frozen\"}";

  private static NodeFixture node;
  private static Operating admin;

  @BeforeAll
  static void start() {
    node = NodeFixture.withOwnRedis(POLICY, FailureMode.DENY);
    node.upstreamAnswers("/ask", request -> request.response().end());
    node.upstreamAnswers("/open", request -> request.response().end());
    admin = Operating.on(node);
  }

  @AfterAll
  static void end() {
    node.close();
  }

  private static String path(String subject) {
    return "/v1/keys/" + URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static HttpResponse<String> change(String subject, String json) {
    return admin.ask("PATCH", path(subject), json);
  }

  private static String named(String subject) {
    return NodeFixture.json(node.post(
            "/v1/check",
            new JsonObject().put("subject", subject).put("operation", "Ask").encode(),
            "Authorization",
            "Bearer " + NodeFixture.SERVICE))
        .getString("decision");
  }

  private static int atGateway(String user) {
    return node.get("/ask", "X-User", user).statusCode();
  }

  private static void within(Runnable condition) {
    await().atMost(Duration.ofMinutes(1)).untilAsserted(condition::run);
  }

  @Test
  void aFreezeMakesTheRecordAndAppliesHoweverTheSubjectIsNamed() {
    HttpResponse<String> frozen = change("user:4711", FROZEN);
    assertThat(frozen.statusCode()).as(frozen.body()).isEqualTo(200);
    JsonObject record = NodeFixture.json(frozen);
    assertThat(record.getString("tenant")).isEqualTo("app");
    assertThat(record.getString("plan")).isEqualTo("free");
    assertThat(record.getJsonArray("secrets")).isEmpty();

    within(() -> assertThat(named("user:4711")).isEqualTo("never_allowed"));
    within(() -> assertThat(atGateway("4711")).isEqualTo(403));
    assertThat(named("user:4712")).isEqualTo("allowed");
    assertThat(atGateway("4712")).isEqualTo(200);

    assertThat(change("user:4711", "{\"state\": \"active\"}").statusCode()).isEqualTo(200);
    within(() -> assertThat(atGateway("4711")).isIn(200, 429)); // not refused
    change("user:4711", FROZEN);
    within(() -> assertThat(atGateway("4711")).isEqualTo(403));
    assertThat(admin.ask("DELETE", path("user:4711"), "").statusCode()).isEqualTo(204);
    within(() -> assertThat(atGateway("4711")).isIn(200, 429)); // not refused
  }

  @Test
  void aBoostAppliesHoweverTheSubjectIsNamed() {
    for (int i = 0; i < 3; i++) {
      assertThat(atGateway("eager")).isEqualTo(200);
    }
    assertThat(atGateway("eager")).isEqualTo(429);
    String boost =
        "{\"overrides\": [{\"bucket\": \"calls\", \"opsPerSec\": 10, \"until\": \"+1h\"}]}";
    assertThat(change("user:eager", boost).statusCode()).isEqualTo(200);
    within(() -> assertThat(atGateway("eager")).isEqualTo(200));
    within(() -> assertThat(named("user:eager")).isEqualTo("allowed"));
  }

  @Test
  void theRecordOfAnotherTenantIsNotThatOfASubjectWithATenant() {
    String address = "ip:127.0.0.1";
    taken(address, "other", "frozen");
    within(() -> assertThat(named(address)).isEqualTo("never_allowed")); // a service means it
    assertThat(node.get("/open").statusCode()).isIn(200, 429);
    change(address, "{\"state\": \"disabled\"}");
    within(() -> assertThat(named(address)).isNull());
    assertThat(node.get("/open").statusCode()).isIn(200, 429);
    admin.ask("DELETE", path(address), "");
    taken(address, "public", "frozen");
    within(() -> assertThat(node.get("/open").statusCode()).isEqualTo(403));
    admin.ask("DELETE", path(address), "");
    within(() -> assertThat(node.get("/open").statusCode()).isIn(200, 429));
  }

  private static void taken(String id, String tenant, String state) {
    JsonObject key = new JsonObject()
        .put("id", id)
        .put("tenant", tenant)
        .put("plan", "free")
        .put("state", state);
    String keys = new JsonObject().put("keys", new JsonArray().add(key)).encode();
    assertThat(admin.ask("POST", "/v1/key-imports", keys).body()).contains("\"created\":1");
  }

  @Test
  void everyVisibleCharacterMayBeInTheName() {
    StringBuilder all = new StringBuilder("user:");
    for (char c = '!'; c <= '~'; c++) {
      all.append(c);
    }
    for (String subject :
        new String[] {all.toString(), "user:" + "~".repeat(123), "user:%2F/../?#"}) {
      HttpResponse<String> frozen = change(subject, FROZEN);
      assertThat(frozen.statusCode()).as(frozen.body()).isEqualTo(200);
      assertThat(NodeFixture.json(frozen).getString("id")).isEqualTo(subject);
      within(() -> assertThat(named(subject)).isEqualTo("never_allowed"));
      assertThat(ids("/v1/keys?tenant=app&state=frozen")).contains(subject);
      assertThat(admin.ask("DELETE", path(subject), "").statusCode()).isEqualTo(204);
      assertThat(ids("/v1/keys?tenant=app&state=frozen")).doesNotContain(subject);
      within(() -> assertThat(named(subject)).isIn("allowed", "denied"));
    }
  }

  private static JsonArray ids(String list) {
    JsonArray ids = new JsonArray();
    NodeFixture.json(admin.ask("GET", list, ""))
        .getJsonArray("keys")
        .forEach(key -> ids.add(((JsonObject) key).getString("id")));
    return ids;
  }

  @Test
  void suchARecordIsNoKey() {
    HttpResponse<String> asKey =
        admin.ask("POST", "/v1/keys", "{\"tenant\": \"app\", \"id\": \"user:key\"}");
    assertThat(asKey.statusCode()).isEqualTo(422);
    assertThat(change("user:key", FROZEN).statusCode()).isEqualTo(200);
    HttpResponse<String> rotated = admin.ask("POST", path("user:key") + "/rotate", "{}");
    assertThat(rotated.statusCode()).isEqualTo(409);
    assertThat(rotated.body()).contains("subject_without_secret");
    String hash = "sha256:" + "0".repeat(64);
    HttpResponse<String> imported = admin.ask(
        "POST",
        "/v1/key-imports",
        "{\"keys\": [{\"id\": \"user:key\", \"tenant\": \"app\", \"secrets\": [{\"hash\": \"%s\"}]}]}"
            .formatted(hash));
    assertThat(imported.body()).contains("no id of a key");
  }

  @Test
  void onlyAnOperatorOfAllTenantsMakesOneAndOnlyOfARule() {
    String token = admin
        .made("/v1/tokens", "{\"name\": \"of-app\", \"scope\": \"keys\", \"tenant\": \"app\"}")
        .getString("token");
    within(() ->
        assertThat(admin.as(token).ask("GET", "/v1/keys", "").statusCode()).isEqualTo(200));
    assertThat(admin.as(token).ask("PATCH", path("user:own"), FROZEN).statusCode())
        .isEqualTo(404);
    assertThat(change("nobody:1", FROZEN).statusCode()).isEqualTo(404);
    assertThat(change("user:plan", "{\"plan\": \"none\"}").statusCode()).isEqualTo(422);
    assertThat(admin.ask("GET", path("user:plan"), "").statusCode()).isEqualTo(404);
  }

  @Test
  void aChangeThatOnlyMakesARecordChangesNone() {
    assertThat(
            admin.ask("PATCH", path("user:new"), FROZEN, "If-None-Match", "*").statusCode())
        .isEqualTo(200);
    HttpResponse<String> again =
        admin.ask("PATCH", path("user:new"), "{\"state\": \"active\"}", "If-None-Match", "*");
    assertThat(again.statusCode()).isEqualTo(412);
    assertThat(again.body()).contains("record_changed");
    assertThat(admin.ask("GET", path("user:new"), "").body()).contains("frozen");
  }

  @Test
  void anExportIsImportedAgainAndANewNodeKnowsTheRecords() {
    change("user:kept", FROZEN);
    String line = admin.ask("GET", "/v1/keys?hashes=true&find=kept", "").body();
    JsonObject kept = new JsonObject(line).getJsonArray("keys").getJsonObject(0);
    admin.ask("DELETE", path("user:kept"), "");
    within(() -> assertThat(atGateway("kept")).isEqualTo(200));
    String keys = new JsonObject().put("keys", new JsonArray().add(kept)).encode();
    assertThat(admin.ask("POST", "/v1/key-imports", keys).body()).contains("\"created\":1");
    within(() -> assertThat(atGateway("kept")).isEqualTo(403));

    node.stop();
    node.startAgain();

    within(() -> assertThat(atGateway("kept")).isEqualTo(403));
    within(() -> assertThat(named("user:kept")).isEqualTo("never_allowed"));
  }
}
