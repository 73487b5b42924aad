package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Records of tenants that a change makes, and what they apply to. */
final class TenantRecordsIT {
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask } }
      buckets:
        - { name: team, scope: tenant, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
      plans: { free: { buckets: [team] } }
      defaults: { plan: free }
      tenants: { ruled: , settled: , wide: }
      subjects: [{ match: "user:*", tenant: ruled }]
      """;

  private static NodeFixture node;
  private static Operating admin;

  @BeforeAll
  static void start() {
    node = NodeFixture.withOwnRedis(
        POLICY.replace("tenants: { ruled: , settled: , wide: }\n", ""), FailureMode.DENY);
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
    org.awaitility.Awaitility.await().untilAsserted(() -> {
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
}
