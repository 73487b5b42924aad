package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What an operator of one tenant sees of the limits of others: nothing. */
final class OperatorsOfTenantsIT {
  private static final String POLICY = """
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      operations:
        - { name: Stream, match: { path: /stream }, settle: { lease: 60s } }
      buckets:
        - { name: requests, burstPeriod: 60, throttleGroups: [{ milliOpsPerSec: 50, operations: [Ask] }] }
        - { name: all, scope: cluster, burstPeriod: 60, throttleGroups: [{ opsPerSec: 50, operations: [Ask] }] }
      permits:
        - { name: streams, scope: cluster, limit: 5, lease: 60s, operations: [Stream] }
      subjects:
        k1: { tenant: acme }
        k2: { tenant: other }
      """;

  @AutoClose
  private static NodeFixture fixture;

  private static String ofAcme;

  @BeforeAll
  static void start() {
    fixture = NodeFixture.withOwnRedis(POLICY, FailureMode.DENY);
    ofAcme = token("acme-portal", ", \"tenant\": \"acme\"");
  }

  private static String token(String name, String more) {
    HttpResponse<String> made = ask(
        NodeFixture.ADMIN,
        "POST",
        "/v1/tokens",
        "{\"name\": \"%s\", \"scope\": \"keys\"%s}".formatted(name, more));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    String token = NodeFixture.json(made).getString("token");
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> ask(token, "GET", "/v1/keys", "").statusCode() != 401);
    return token;
  }

  private static HttpResponse<String> ask(String token, String method, String path, String body) {
    return fixture.send(HttpRequest.newBuilder(fixture.uri(path))
        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
        .header("Authorization", "Bearer " + token));
  }

  private static JsonObject ofService(String path, String subject, String operation) {
    return NodeFixture.json(fixture.post(
        path,
        "{\"subject\": \"%s\", \"operation\": \"%s\"}".formatted(subject, operation),
        "Authorization",
        "Bearer " + NodeFixture.SERVICE));
  }

  private static String denied(String subject) {
    for (int i = 0; i < 10; i++) {
      JsonObject answer = ofService("/v1/check", subject, "Ask");
      if (answer.getString("decision").equals("denied")) {
        return answer.getString("id");
      }
    }
    throw new AssertionError("nothing was denied");
  }

  @Test
  void onlyDenialsOfTheTenantAreShown() {
    String mine = denied("k1");
    String others = denied("k2");

    assertThat(ask(ofAcme, "GET", "/v1/denials", "").body()).contains(mine).doesNotContain(others);
    assertThat(ask(ofAcme, "GET", "/v1/denials/" + mine, "").statusCode()).isEqualTo(200);
    assertThat(ask(ofAcme, "GET", "/v1/denials/" + others, "").statusCode()).isEqualTo(404);
    assertThat(ask(ofAcme, "GET", "/v1/denials?tenant=other", "").statusCode()).isEqualTo(403);
    assertThat(ask(NodeFixture.ADMIN, "GET", "/v1/denials", "").body()).contains(mine, others);
  }

  @Test
  void aDraftOfThePolicyIsOfItsOperatorAlone() {
    String path = "/v1/session/draft";
    String draft = new JsonObject().put("text", "buckets: []").put("at", 1).encode();
    assertThat(ask(NodeFixture.ADMIN, "PUT", path, draft).statusCode()).isEqualTo(204);

    assertThat(ask(ofAcme, "PUT", path, draft).statusCode()).isEqualTo(403);
    assertThat(ask(ofAcme, "DELETE", path, "").statusCode()).isEqualTo(403);
    assertThat(ask(ofAcme, "GET", path, "").body()).isEqualTo("{}");
    assertThat(ask(NodeFixture.ADMIN, "GET", path, "").body()).isEqualTo(draft);
  }

  @Test
  void onlyCasesOfTheTenantAreShown() {
    denied("k1");
    denied("k2");

    assertThat(ask(ofAcme, "GET", "/v1/cases", "").body())
        .contains("\"acme\"")
        .doesNotContain("\"other\"");
    assertThat(ask(ofAcme, "GET", "/v1/cases?tenant=acme", "").statusCode()).isEqualTo(200);
    assertThat(ask(ofAcme, "GET", "/v1/cases?tenant=other", "").statusCode()).isEqualTo(403);
    assertThat(ask(NodeFixture.ADMIN, "GET", "/v1/cases", "").body())
        .contains("\"acme\"", "\"other\"");
  }

  @Test
  void anExplanationTellsNothingOfOtherTenants() {
    ofService("/v1/reservations", "k2", "Stream");
    String path = "/v1/explain?key=k1&operation=Stream";

    JsonObject whole = NodeFixture.json(ask(NodeFixture.ADMIN, "GET", path, ""));
    JsonObject mine = NodeFixture.json(ask(ofAcme, "GET", path, ""));

    assertThat(whole.encode()).contains("holders", "weir:cluster");
    assertThat(mine.encode()).doesNotContain("holders", "weir:cluster");
    assertThat(mine.getJsonArray("limits").getJsonObject(0).getLong("used")).isEqualTo(1);
    assertThat(ask(ofAcme, "GET", "/v1/explain?key=k2&operation=Ask", "").statusCode())
        .isEqualTo(404);
  }

  @Test
  void whatConcernsAllTenantsIsForbidden() {
    String reset = "{\"key\": \"k1\"}";

    assertThat(ask(ofAcme, "GET", "/v1/top", "").statusCode()).isEqualTo(403);
    assertThat(ask(ofAcme, "POST", "/v1/reset", reset).statusCode()).isEqualTo(403);
    assertThat(ask(ofAcme, "GET", "/v1/policy/revisions", "").statusCode()).isEqualTo(403);
    assertThat(ask(ofAcme, "PATCH", "/v1/policy", "{}").statusCode()).isEqualTo(403);
    String ofAll = token("support", "");
    assertThat(ask(ofAll, "GET", "/v1/top", "").statusCode()).isEqualTo(200);
    assertThat(ask(ofAll, "POST", "/v1/reset", reset).statusCode()).isEqualTo(200);
    assertThat(ask(ofAll, "POST", "/v1/policy/rollback", "{\"revision\": 1}").statusCode())
        .isEqualTo(403);
  }
}
