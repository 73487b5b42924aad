package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.NodeView;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class AdminIT {
  private static final String[] TOKEN = {"Authorization", "Bearer " + NodeFixture.ADMIN};

  @AutoClose
  private static final NodeFixture node = new NodeFixture(TestPolicies.slow(), FailureMode.DENY);

  @Test
  void aPolicyIsReadAndReplacedWithTheAdminTokenOnly() {
    String text = node.get("/v1/policy", TOKEN).body();
    assertThat(text).contains("buckets:");
    assertThat(node.get("/v1/policy").statusCode()).isEqualTo(401);
    assertThat(node.put("/v1/policy", text, "Authorization", "Bearer " + NodeFixture.SERVICE)
            .statusCode())
        .isEqualTo(401);

    HttpResponse<String> published = node.put("/v1/policy", text + "# again\n", TOKEN);
    assertThat(published.statusCode()).isEqualTo(200);
    long revision = NodeFixture.json(published).getLong("revision");
    assertThat(revision).isGreaterThan(1);
    assertThat(node.get("/v1/policy", TOKEN).headers().firstValue("Weir-Policy-Revision"))
        .contains(Long.toString(revision));
    HttpResponse<String> checked = node.post(
        "/v1/check",
        "{\"key\": \"%s\", \"operation\": \"Echo\"}".formatted(TestPolicies.key("k1")));
    assertThat(NodeFixture.json(checked).getLong("revision")).isEqualTo(revision);
  }

  @Test
  void aPolicyReplacesTheOneItWasMadeFrom() {
    HttpResponse<String> before = node.get("/v1/policy", TOKEN);
    String tag = before.headers().firstValue("ETag").orElseThrow();
    HttpResponse<String> published = put(before.body() + "# once more\n", tag);
    assertThat(published.statusCode()).isEqualTo(200);
    assertThat(published.headers().firstValue("ETag").orElseThrow()).isNotEqualTo(tag);
    HttpResponse<String> again = put(before.body(), tag);
    assertThat(again.statusCode()).isEqualTo(412);
    assertThat(NodeFixture.json(again).getString("code")).isEqualTo("policy_changed");
    assertThat(put(before.body(), "*").statusCode()).isEqualTo(200);
  }

  // As curl --data-binary sends it.
  private static HttpResponse<String> put(String policy, String tag) {
    return node.put(
        "/v1/policy",
        policy,
        TOKEN[0],
        TOKEN[1],
        "If-Match",
        tag,
        "Content-Type",
        "application/x-www-form-urlencoded");
  }

  @Test
  void operatorsMayHaveAPortOfTheirOwn() {
    try (NodeFixture other = NodeFixture.withAdminPort(TestPolicies.slow())) {
      HttpRequest.Builder metrics = HttpRequest.newBuilder(other.adminUri("/metrics"));
      assertThat(other.send(metrics).body()).contains("http_server_connections");
      HttpResponse<String> missed = other.get("/metrics");
      assertThat(missed.statusCode()).isEqualTo(404);
      assertThat(missed.body()).contains("on the admin port");
      HttpRequest.Builder ping = HttpRequest.newBuilder(other.adminUri("/ping"));
      assertThat(other.send(ping).statusCode()).isEqualTo(404);
    }
  }

  @Test
  void aDryRunChecksAPolicyAndChangesNothing() {
    HttpResponse<String> before = node.get("/v1/policy", TOKEN);
    String revision = before.headers().firstValue("Weir-Policy-Revision").orElseThrow();
    HttpResponse<String> good = node.put(
        "/v1/policy?dryRun=true", before.body() + "\ndescription: never in force\n", TOKEN);
    assertThat(good.statusCode()).as(good.body()).isEqualTo(200);
    assertThat(NodeFixture.json(good).getBoolean("dryRun")).isTrue();
    assertThat(NodeFixture.json(good).getLong("revision")).isEqualTo(Long.parseLong(revision));
    HttpResponse<String> bad =
        node.put("/v1/policy?dryRun=true", "buckets: 7\ncolour: red\n", TOKEN);
    assertThat(bad.statusCode()).isEqualTo(422);
    assertThat(NodeFixture.json(bad).getJsonArray("problems").size()).isGreaterThan(1);
    for (String query :
        new String[] {"dryRun=yes", "dryRun", "dryrun=true", "dryRun=true&dryRun=true", "a&b"}) {
      HttpResponse<String> odd = node.put("/v1/policy?" + query, before.body(), TOKEN);
      assertThat(odd.statusCode()).as(query).isEqualTo(400);
      assertThat(NodeFixture.json(odd).getString("code")).isEqualTo("query_invalid");
    }
    assertThat(node.put("/v1/policy?dryRun=true", before.body()).statusCode()).isEqualTo(401);
    HttpResponse<String> after = node.get("/v1/policy", TOKEN);
    assertThat(after.body()).isEqualTo(before.body());
    assertThat(after.headers().firstValue("Weir-Policy-Revision")).hasValue(revision);
  }

  @Test
  void aBadPolicyIsRefusedWholeWithEveryProblem() {
    HttpResponse<String> refused = node.put("/v1/policy", "buckets: 5\ncolour: blue\n", TOKEN);
    assertThat(refused.statusCode()).isEqualTo(422);
    JsonObject problem = NodeFixture.json(refused);
    assertThat(problem.getString("code")).isEqualTo("policy_invalid");
    assertThat(problem.getJsonArray("problems")).hasSize(2);
    assertThat(problem.getJsonArray("problems").getJsonObject(0).getInteger("line"))
        .isPositive();
    assertThat(node.get("/v1/policy", TOKEN).body()).contains("name: five");
  }

  @Test
  void aPolicyThatIsNoTextOrFarTooLongIsRefused() {
    assertThat(node.put("/v1/policy", "", TOKEN).statusCode()).isEqualTo(422);
    assertThat(node.put("/v1/policy", "#".repeat(9 << 20), TOKEN).statusCode()).isEqualTo(413);
  }

  @Test
  void aPolicyOfAMebibyteIsRead() {
    StringBuilder text = new StringBuilder(node.get("/v1/policy", TOKEN).body());
    for (int i = 0; text.length() < 1 << 20; i++) {
      text.append(TestPolicies.subject("many-" + i, ""));
    }
    HttpResponse<String> published = node.put("/v1/policy", text.toString(), TOKEN);
    assertThat(published.statusCode()).describedAs(published.body()).isEqualTo(200);
    assertThat(node.get("/echo/x", "X-Api-Key", TestPolicies.key("many-17")).statusCode())
        .isEqualTo(200);
  }

  @Test
  void healthIsReported() {
    assertThat(node.get("/health/live").statusCode()).isEqualTo(200);
    assertThat(NodeFixture.json(node.get("/health/ready")).getString("status")).isEqualTo("ready");
  }

  @Test
  void metricsCarryTheNamesThatDashboardsAskFor() {
    node.get("/echo/x", "X-Api-Key", TestPolicies.key("k2"));
    node.post(
        "/v1/check",
        "{\"key\": \"%s\", \"operation\": \"MadeUp\"}".formatted(TestPolicies.key("k2")));
    String metrics = node.get("/metrics").body();
    assertThat(metrics)
        .contains(
            "throttle_decisions_total{bucket=\"none\",operation=\"Echo\",outcome=\"allowed\",plan=\"default\"}",
            "throttle_decisions_total{bucket=\"none\",operation=\"unlisted\",outcome=\"never_allowed\",plan=\"default\"}",
            "throttle_store_latency_seconds_count",
            "throttle_store_errors_total",
            "http_server_requests_seconds_count{code=\"200\"}",
            "http_upstream_requests_seconds_count{code=\"200\"}",
            "http_server_connections");
    assertThat(metrics).doesNotContain("k2", "acme", "MadeUp", "secret");
  }

  @Test
  void theDescriptionNamesEveryDoorAndNoOther() {
    JsonObject paths = NodeFixture.json(node.get("/openapi.json")).getJsonObject("paths");
    Set<String> described = new TreeSet<>();
    for (String path : paths.fieldNames()) {
      paths.getJsonObject(path).fieldNames().forEach(method -> described.add(method + " " + path));
    }
    described.remove("get /"); // this node has no port for operators alone
    assertThat(described).isEqualTo(NodeView.routes(node.node()));
  }

  @Test
  void theAnswersAreOfTheDescribedForm() {
    JsonObject schemas = NodeFixture.json(node.get("/openapi.json"))
        .getJsonObject("components")
        .getJsonObject("schemas");
    String question = "{\"key\": \"%s\", \"operation\": \"Files\", \"cost\": %d}";
    Map<String, HttpResponse<String>> answers = Map.of(
        "Decision", node.post("/v1/check", question.formatted(TestPolicies.key("k3"), 1)),
        "Problem", node.post("/v1/check", question.formatted(TestPolicies.key("k3"), 0)));
    answers.forEach((schema, answer) -> {
      JsonObject described = schemas.getJsonObject(schema);
      JsonObject found = NodeFixture.json(answer);
      described
          .getJsonArray("required")
          .forEach(field -> assertThat(found.fieldNames()).contains((String) field));
      if (schema.equals("Decision")) {
        assertThat(described.getJsonObject("properties").fieldNames())
            .containsAll(found.fieldNames());
      }
    });
  }
}
