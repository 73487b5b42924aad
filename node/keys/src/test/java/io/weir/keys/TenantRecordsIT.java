package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Records of tenants that a change makes, and what they apply to. */
final class TenantRecordsIT {
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask } }
      buckets:
        - { name: team, scope: tenant, burstPeriod: 1000, throttleGroups: [{ milliOpsPerSec: 3, operations: [Ask] }] }
      plans:
        free: { buckets: [team] }
        closed: { frozen: true }
      defaults: { plan: free }
      subjects:
        - { match: "user:*", tenant: ruled, plan: free }
        - { match: "vip:*", tenant: vips, plan: free }
        - { match: "guest:*", tenant: guests }
        - { id: m2, tenant: mixed }
        - { id: m1, tenant: mixed }
      identity:
        header: { name: X-User, from: [127.0.0.1], prefix: "vip:" }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      """;

  private static NodeFixture node;
  private static Operating admin;

  @BeforeAll
  static void start() {
    node = NodeFixture.withOwnRedis(POLICY, FailureMode.DENY);
    node.upstreamAnswers("/ask", request -> request.response().end());
    admin = Operating.on(node);
  }

  @AfterAll
  static void end() {
    node.close();
  }

  private static HttpResponse<String> change(String tenant, String json, String... headers) {
    return admin.ask("PATCH", "/v1/tenants/" + tenant, json, headers);
  }

  private static void refused(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.body()).contains(code);
  }

  @Test
  void aChangeMakesTheRecordOfATenantThatAKeyOrARuleNames() {
    admin.key("of-a-key");
    for (String tenant : new String[] {"of-a-key", "ruled"}) {
      HttpResponse<String> frozen = change(tenant, "{\"state\": \"frozen\"}");
      assertThat(frozen.statusCode()).as(frozen.body()).isEqualTo(200);
      assertThat(frozen.headers().firstValue("ETag")).isPresent();
      JsonObject record = NodeFixture.json(admin.ask("GET", "/v1/tenants/" + tenant, ""));
      assertThat(record).isEqualTo(NodeFixture.json(frozen));
      assertThat(admin.ask("GET", "/v1/audit?limit=20", "").body())
          .contains("\"what\":\"freeze\",\"record\":\"tenant:" + tenant);
      assertThat(admin.ask("DELETE", "/v1/tenants/" + tenant, "").statusCode()).isEqualTo(204);
    }
  }

  @Test
  void aMistypedTenantGetsNoRecord() {
    refused(change("no-such-tenant", "{\"state\": \"frozen\"}"), 404, "tenant_unknown");
    refused(admin.ask("GET", "/v1/tenants/no-such-tenant", ""), 404, "tenant_unknown");
  }

  @Test
  void theRecordThatIsMadeHasTheBoundsOfAnother() {
    admin.key("bound");
    refused(change("bound", "{\"plan\": \"none\"}"), 422, "record_invalid");
    refused(change("bound", "{\"expires\": \"+1h\"}"), 422, "record_invalid");
    refused(change("bound", "{\"note\": \"x\"}", "If-Match", "\"1\""), 404, "tenant_unknown");
    assertThat(change("bound", "{\"note\": \"x\"}", "If-None-Match", "*").statusCode())
        .isEqualTo(200);
    refused(change("bound", "{\"note\": \"y\"}", "If-None-Match", "*"), 412, "record_changed");
  }

  @Test
  void onlyAnOperatorOfAllTenantsWhoMayChangeKeysMakesIt() {
    admin.key("own");
    String own = admin
        .made("/v1/tokens", "{\"name\": \"own\", \"scope\": \"keys\", \"tenant\": \"own\"}")
        .getString("token");
    String reader =
        admin.made("/v1/tokens", "{\"name\": \"reader\", \"scope\": \"read\"}").getString("token");
    await().untilAsserted(() -> {
      refused(
          admin.as(own).ask("PATCH", "/v1/tenants/own", "{\"state\": \"frozen\"}"),
          404,
          "tenant_unknown");
      assertThat(admin
              .as(reader)
              .ask("PATCH", "/v1/tenants/own", "{\"state\": \"frozen\"}")
              .statusCode())
          .isEqualTo(403);
    });
  }

  private static JsonObject checked(String subject) {
    return NodeFixture.json(node.post(
        "/v1/check",
        new JsonObject().put("subject", subject).put("operation", "Ask").encode(),
        "Authorization",
        "Bearer " + NodeFixture.SERVICE));
  }

  private static int atGateway(String user) {
    return node.get("/ask", "X-User", user).statusCode();
  }

  private static void within(Runnable condition) {
    await().atMost(Duration.ofMinutes(1)).untilAsserted(condition::run);
  }

  @Test
  void aRecordAppliesToSubjectsThatOnlyARuleCovers() {
    assertThat(atGateway("1")).isEqualTo(200);
    within(() -> assertThat(atGateway("2")).isEqualTo(429));
    String boost =
        "{\"overrides\": [{\"bucket\": \"team\", \"opsPerSec\": 10, \"until\": \"+1h\"}]}";
    assertThat(change("vips", boost).statusCode()).isEqualTo(200);
    within(() -> assertThat(atGateway("5")).isEqualTo(200));
    within(() -> assertThat(checked("vip:6").getString("decision")).isEqualTo("allowed"));

    change("vips", "{\"state\": \"frozen\"}");
    within(() -> assertThat(checked("vip:7").getString("decision")).isEqualTo("never_allowed"));
    within(() -> assertThat(atGateway("8")).isEqualTo(403));
    change("vips", "{\"state\": \"disabled\"}");
    within(() -> assertThat(checked("vip:7").getString("code")).isEqualTo("subject_unknown"));
    within(() -> assertThat(atGateway("8")).isEqualTo(401));
    admin.ask("DELETE", "/v1/tenants/vips", "");
    within(() -> assertThat(atGateway("9")).isIn(200, 429));
  }

  @Test
  void aKeySaysUntilWhenTheOverrideOfItsTenantCounts() {
    String key = admin.key("lent").getString("id");
    String boost =
        "{\"overrides\": [{\"bucket\": \"team\", \"opsPerSec\": 10, \"until\": \"+1h\"}]}";
    JsonObject tenant = NodeFixture.json(change("lent", boost));
    JsonObject limit = NodeFixture.json(admin.ask("GET", "/v1/keys/" + key, ""))
        .getJsonArray("limits")
        .getJsonObject(0);
    assertThat(limit.getString("from")).isEqualTo("tenant");
    assertThat(limit.getString("until"))
        .isEqualTo(tenant.getJsonArray("overrides").getJsonObject(0).getString("until"));
  }

  @Test
  void thePlanOfARuleComesBeforeThatOfTheTenant() {
    assertThat(change("ruled", "{\"plan\": \"closed\"}").statusCode()).isEqualTo(200);
    assertThat(change("guests", "{\"plan\": \"closed\"}").statusCode()).isEqualTo(200);
    within(() -> assertThat(checked("guest:1").getString("decision")).isEqualTo("never_allowed"));
    assertThat(checked("user:1").getString("decision")).isIn("allowed", "denied");
    // A record of the subject has the plan that it had.
    HttpResponse<String> own = admin.ask("PATCH", "/v1/keys/guest:2", "{\"note\": \"x\"}");
    assertThat(NodeFixture.json(own).getString("plan")).isEqualTo("closed");
    admin.ask("DELETE", "/v1/tenants/ruled", "");
    admin.ask("DELETE", "/v1/tenants/guests", "");
  }

  @Test
  void aTenantThatThePolicyListsGetsNoRecord() {
    String listing = POLICY.replace(
        "subjects:", "tenants: { ruled: {}, vips: {}, guests: {}, mixed: {} }\nsubjects:");
    try (NodeFixture other = NodeFixture.withOwnRedis(listing, FailureMode.DENY)) {
      Operating operating = Operating.on(other);
      String frozen = "{\"state\": \"frozen\"}";
      refused(operating.ask("PATCH", "/v1/tenants/ruled", frozen), 409, "tenant_in_policy");
      String planned = "{\"id\": \"ruled\", \"plan\": \"closed\"}";
      refused(operating.ask("POST", "/v1/tenants", planned), 409, "tenant_in_policy");
    }
  }

  @Test
  void theRecordOfATenantThatThePolicyListsHasWhatThePolicyDoesNotSay() {
    String listing = POLICY.replace(
        "subjects:", "tenants: { ruled: {}, vips: {}, guests: {}, mixed: {} }\nsubjects:");
    try (NodeFixture other = NodeFixture.withOwnRedis(listing, FailureMode.DENY)) {
      Operating operating = Operating.on(other);
      HttpResponse<String> bounded =
          operating.ask("POST", "/v1/tenants", "{\"id\": \"ruled\", \"maxKeys\": 5}");
      assertThat(bounded.statusCode()).as(bounded.body()).isEqualTo(201);
      HttpResponse<String> noted =
          operating.ask("PATCH", "/v1/tenants/vips", "{\"note\": \"ours\"}");
      assertThat(noted.statusCode()).as(noted.body()).isEqualTo(200);
      String frozen = "{\"state\": \"frozen\"}";
      refused(operating.ask("PATCH", "/v1/tenants/ruled", frozen), 409, "tenant_in_policy");
      refused(operating.ask("PATCH", "/v1/tenants/vips", frozen), 409, "tenant_in_policy");
    }
  }

  @Test
  void theRecordOfATenantNamesTheKeysThatThePolicyRules() {
    HttpResponse<String> frozen = change("mixed", "{\"state\": \"frozen\"}");
    assertThat(NodeFixture.json(frozen).getJsonArray("unaffectedKeys")).containsExactly("m1", "m2");
    JsonObject record = NodeFixture.json(admin.ask("GET", "/v1/tenants/mixed", ""));
    assertThat(record.getJsonArray("unaffectedKeys")).containsExactly("m1", "m2");
    HttpResponse<String> ruled = change("ruled", "{\"note\": \"x\"}");
    assertThat(NodeFixture.json(ruled).containsKey("unaffectedKeys")).isFalse();
    admin.ask("DELETE", "/v1/tenants/mixed", "");
    admin.ask("DELETE", "/v1/tenants/ruled", "");
  }
}
