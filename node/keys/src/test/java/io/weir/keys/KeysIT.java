package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Keys outside of the policy, as operators make them and callers use them. */
@Tag("jdk")
final class KeysIT {
  @AutoClose
  private static final NodeFixture fixture =
      NodeFixture.withOwnRedis(KeysPolicy.TEXT, FailureMode.DENY);

  private static HttpResponse<String> ask(String method, String path, String body, String... more) {
    HttpRequest.Builder request = HttpRequest.newBuilder(fixture.uri(path))
        .method(method, BodyPublishers.ofString(body))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN);
    for (int i = 0; i < more.length; i += 2) {
      request.header(more[i], more[i + 1]);
    }
    return fixture.send(request);
  }

  private static JsonObject made(String body) {
    HttpResponse<String> made = ask("POST", "/v1/keys", body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return NodeFixture.json(made);
  }

  private static HttpResponse<String> check(String key) {
    return fixture.post(
        "/v1/check", new JsonObject().put("key", key).put("operation", "Ask").encode());
  }

  private static void refused(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(NodeFixture.json(answer).getString("code")).isEqualTo(code);
  }

  private static void within(String key, int status) {
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(check(key).statusCode()).isEqualTo(status));
  }

  @Test
  void aNewKeyIsShownOnceAndMayAskAtOnce() {
    JsonObject made = made("{\"tenant\": \"acme\", \"labels\": {\"team\": \"x\"}}");
    String key = made.getString("key");
    assertThat(key).startsWith("weir_" + made.getString("id") + ".");
    assertThat(check(key).statusCode()).isEqualTo(200);
    HttpResponse<String> seen = ask("GET", "/v1/keys/" + made.getString("id"), "");
    assertThat(seen.body()).doesNotContain(key).doesNotContain(key.substring(key.indexOf('.') + 1));
    JsonObject json = NodeFixture.json(seen);
    assertThat(json.getString("planInForce")).isEqualTo("big");
    assertThat(json.getJsonArray("limits").getJsonObject(0).getString("from")).isEqualTo("plan");
    // A wrong digit fails the checksum, another secret the hash.
    assertThat(check(key.substring(0, key.length() - 1) + "~").statusCode()).isEqualTo(401);
  }

  @Test
  void aFrozenKeyIsRefusedAndADisabledOneUnknown() {
    JsonObject made = made("{\"tenant\": \"acme\"}");
    String one = "/v1/keys/" + made.getString("id");
    String key = made.getString("key");
    assertThat(check(key).statusCode()).isEqualTo(200);
    assertThat(ask("PATCH", one, "{\"state\": \"frozen\"}").statusCode()).isEqualTo(200);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(check(key).body()).contains("access_disabled"));
    assertThat(ask("PATCH", one, "{\"state\": \"disabled\"}").statusCode()).isEqualTo(200);
    within(key, 401);
    assertThat(ask("PATCH", one, "{\"state\": \"active\"}").statusCode()).isEqualTo(200);
    within(key, 200);
    assertThat(ask("DELETE", one, "").statusCode()).isEqualTo(204);
    within(key, 401);
    refused(ask("GET", one, ""), 404, "key_unknown");
  }

  @Test
  void aBoostEndsByItself() {
    JsonObject made = made("{\"tenant\": \"acme\", \"plan\": \"small\"}");
    String one = "/v1/keys/" + made.getString("id");
    JsonObject limit =
        NodeFixture.json(ask("GET", one, "")).getJsonArray("limits").getJsonObject(0);
    assertThat(limit.getDouble("opsPerSec")).isEqualTo(1.0);
    String until = "+1h";
    String boost =
        "{\"overrides\": [{\"bucket\": \"few\", \"opsPerSec\": 500, \"until\": \"%s\"}]}";
    HttpResponse<String> boosted = ask("PATCH", one, boost.formatted(until));
    assertThat(boosted.statusCode()).as(boosted.body()).isEqualTo(200);
    limit = NodeFixture.json(ask("GET", one, "")).getJsonArray("limits").getJsonObject(0);
    assertThat(limit.getDouble("opsPerSec")).isEqualTo(500.0);
    assertThat(limit.getString("from")).isEqualTo("override");
    assertThat(limit.getString("until")).isNotNull();
    refused(
        ask("PATCH", one, "{\"overrides\": [{\"bucket\": \"none\", \"opsPerSec\": 5}]}"),
        422,
        "record_invalid");
  }

  @Test
  void aRotatedKeyOpensWithBothSecretsForAWhile() {
    JsonObject made = made("{\"tenant\": \"acme\"}");
    String first = made.getString("key");
    String rotate = "/v1/keys/" + made.getString("id") + "/rotate";
    HttpResponse<String> rotated = ask("POST", rotate, "{\"overlapSeconds\": 60}");
    assertThat(rotated.statusCode()).as(rotated.body()).isEqualTo(200);
    String second = NodeFixture.json(rotated).getString("key");
    within(second, 200);
    within(first, 200);
    assertThat(ask("POST", rotate, "{\"overlapSeconds\": 0}").statusCode()).isEqualTo(200);
    within(second, 401);
    within(first, 401);
  }

  @Test
  void aRepeatedRequestGetsTheSameKey() {
    String body = "{\"tenant\": \"acme\"}";
    HttpResponse<String> first = ask("POST", "/v1/keys", body, "Idempotency-Key", "one");
    HttpResponse<String> second = ask("POST", "/v1/keys", body, "Idempotency-Key", "one");
    assertThat(first.statusCode()).as(first.body()).isEqualTo(201);
    assertThat(NodeFixture.json(second).getString("key"))
        .isEqualTo(NodeFixture.json(first).getString("key"));
    refused(
        ask("POST", "/v1/keys", "{\"tenant\": \"other\"}", "Idempotency-Key", "one"),
        409,
        "key_exists");
  }

  @Test
  void aKeyThatThePolicyListsIsChangedThere() {
    for (String json : List.of("{\"state\": \"frozen\"}", "{\"note\": \"x\"}")) {
      refused(ask("PATCH", "/v1/keys/listed", json), 409, "key_in_policy");
    }
    refused(ask("POST", "/v1/keys/listed/rotate", ""), 409, "key_in_policy");
    refused(ask("DELETE", "/v1/keys/listed", ""), 409, "key_in_policy");
    refused(ask("GET", "/v1/keys/listed", ""), 404, "key_unknown");
  }

  @Test
  void aListHasEachKeyOnce() {
    for (int i = 0; i < 25; i++) {
      made("{\"tenant\": \"lists\", \"labels\": {\"odd\": \"%d\"}}".formatted(i % 2));
    }
    Set<String> seen = new HashSet<>();
    String cursor = "";
    do {
      JsonObject page = NodeFixture.json(ask(
          "GET",
          "/v1/keys?tenant=lists&limit=7" + (cursor.isEmpty() ? "" : "&cursor=" + cursor),
          ""));
      page.getJsonArray("keys")
          .forEach(
              key -> assertThat(seen.add(((JsonObject) key).getString("id"))).isTrue());
      cursor = page.getString("cursor", "").replace(" ", "%20");
    } while (!cursor.isEmpty());
    assertThat(seen).hasSize(25);
    JsonArray odd =
        NodeFixture.json(ask("GET", "/v1/keys?tenant=lists&label=odd:1", "")).getJsonArray("keys");
    assertThat(odd).hasSize(12);
  }

  @Test
  void aKeyIsFoundByAnyTextOfItsRecord() {
    made("{\"tenant\": \"finds\", \"id\": \"needle-1\", \"note\": \"the Mobile app\"}");
    made("{\"tenant\": \"finds\", \"id\": \"hay-1\", \"labels\": {\"team\": \"Blue\"}}");
    for (String text : List.of("EEDLE", "mobile app", "finds")) {
      assertThat(found(text)).as(text).contains("needle-1");
    }
    assertThat(found("blue")).containsExactly("hay-1");
    assertThat(found("no such text")).isEmpty();
  }

  @Test
  void aTenantIsFoundByAnyTextOfItsRecord() {
    ask("POST", "/v1/tenants", "{\"id\": \"needle-house\", \"note\": \"of the Mobile team\"}");
    ask("POST", "/v1/tenants", "{\"id\": \"barn\", \"labels\": {\"team\": \"Rose\"}}");
    assertThat(found("tenants", "EEDLE-H")).containsExactly("needle-house");
    assertThat(found("tenants", "the mobile")).containsExactly("needle-house");
    assertThat(found("tenants", "rose")).containsExactly("barn");
    assertThat(found("tenants", "no such text")).isEmpty();
  }

  private static List<String> found(String text) {
    return found("keys", text);
  }

  private static List<String> found(String kind, String text) {
    String path = "/v1/" + kind + "?find=" + text.replace(" ", "%20");
    return NodeFixture.json(ask("GET", path, "")).getJsonArray(kind).stream()
        .map(record -> ((JsonObject) record).getString("id"))
        .toList();
  }

  @Test
  void subjectsWithoutARecordFollowARule() {
    String body = "{\"subject\": \"user:4711\", \"operation\": \"Ask\", \"cost\": 10}";
    HttpResponse<String> first =
        fixture.post("/v1/check", body, "Authorization", "Bearer " + NodeFixture.SERVICE);
    assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
    assertThat(NodeFixture.json(first).getString("decision")).isEqualTo("allowed");
    HttpResponse<String> second =
        fixture.post("/v1/check", body, "Authorization", "Bearer " + NodeFixture.SERVICE);
    assertThat(NodeFixture.json(second).getString("decision")).isEqualTo("denied");
  }

  @Test
  void aRecordCountsBeforeARuleWhoeverAsks() {
    String body = "{\"subject\": \"acct-1\", \"operation\": \"Ask\"}";
    HttpResponse<String> ruled =
        fixture.post("/v1/check", body, "Authorization", "Bearer " + NodeFixture.SERVICE);
    assertThat(NodeFixture.json(ruled).getString("decision")).isEqualTo("allowed");
    String key =
        made("{\"id\": \"acct-1\", \"tenant\": \"app\", \"state\": \"frozen\"}").getString("key");
    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      assertThat(check(key).body()).contains("access_disabled");
      assertThat(fixture
              .post("/v1/check", body, "Authorization", "Bearer " + NodeFixture.SERVICE)
              .body())
          .contains("access_disabled");
    });
    assertThat(ask("PATCH", "/v1/keys/acct-1", "{\"state\": \"disabled\"}").statusCode())
        .isEqualTo(200);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(fixture
                .post("/v1/check", body, "Authorization", "Bearer " + NodeFixture.SERVICE)
                .body())
            .contains("subject_unknown"));
    assertThat(ask("DELETE", "/v1/keys/acct-1", "").statusCode()).isEqualTo(204);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(NodeFixture.json(fixture.post(
                    "/v1/check", body, "Authorization", "Bearer " + NodeFixture.SERVICE))
                .getString("decision"))
            .isEqualTo("allowed"));
  }

  @Test
  void aTenantsRecordHoldsForItsKeys() {
    JsonObject made = made("{\"tenant\": \"ten\"}");
    String key = made.getString("key");
    assertThat(check(key).statusCode()).isEqualTo(200);
    HttpResponse<String> tenant =
        ask("POST", "/v1/tenants", "{\"id\": \"ten\", \"state\": \"frozen\"}");
    assertThat(tenant.statusCode()).as(tenant.body()).isEqualTo(201);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(check(key).body()).contains("access_disabled"));
    assertThat(ask("PATCH", "/v1/tenants/ten", "{\"state\": null}").statusCode())
        .isEqualTo(200);
    within(key, 200);
  }

  @Test
  void aChangeOfAnOlderVersionIsRefused() {
    JsonObject made = made("{\"tenant\": \"acme\"}");
    String one = "/v1/keys/" + made.getString("id");
    String tag = "\"%d\"".formatted(made.getLong("version"));
    assertThat(ask("PATCH", one, "{\"note\": \"a\"}", "If-Match", tag).statusCode())
        .isEqualTo(200);
    refused(ask("PATCH", one, "{\"note\": \"b\"}", "If-Match", tag), 412, "record_changed");
  }

  @Test
  void aChangeWithoutEffectLeavesNoLineOfAudit() {
    JsonObject made =
        made("{\"tenant\": \"acme\", \"plan\": \"big\", \"labels\": {\"team\": \"blue\"}}");
    String one = "/v1/keys/" + made.getString("id");
    String boost =
        "{\"overrides\": [{\"bucket\": \"many\", \"opsPerSec\": 500, \"until\": \"2999-01-01T00:00:00Z\"}]}";
    for (String patch : List.of(
        "{\"state\": \"frozen\"}",
        boost,
        "{\"plan\": \"big\"}",
        "{\"labels\": {\"team\": \"blue\"}, \"note\": null}")) {
      HttpResponse<String> changed = ask("PATCH", one, patch);
      assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
      HttpResponse<String> again = ask("PATCH", one, patch);
      assertThat(again.statusCode()).isEqualTo(200);
      assertThat(NodeFixture.json(again)).isEqualTo(NodeFixture.json(changed));
      assertThat(again.headers().firstValue("ETag"))
          .isEqualTo(changed.headers().firstValue("ETag"));
    }
    ask("DELETE", one, "");
    refused(ask("DELETE", one, ""), 404, "key_unknown");
    assertThat(changesOf(made.getString("id")))
        .containsExactly("delete admin", "change admin", "freeze admin", "create admin");
  }

  @Test
  void everyChangeLeavesALineOfAudit() {
    JsonObject made = made("{\"tenant\": \"acme\", \"note\": \"audited\"}");
    String id = made.getString("id");
    ask("PATCH", "/v1/keys/" + id, "{\"state\": \"frozen\"}");
    assertThat(changesOf(id)).containsExactly("freeze admin", "create admin");
    assertThat(audit().encode()).doesNotContain(made.getString("key"));
  }

  private static JsonArray audit() {
    return NodeFixture.json(ask("GET", "/v1/audit?limit=50", "")).getJsonArray("lines");
  }

  private static List<String> changesOf(String id) {
    return audit().stream()
        .map(line -> (JsonObject) line)
        .filter(line -> line.getString("record").equals("key:" + id))
        .map(line -> line.getString("what") + " " + line.getString("who"))
        .toList();
  }
}
