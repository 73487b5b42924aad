package io.weir.node.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

final class MissedDoorsIT {
  private static final String[] KEY = {"X-Api-Key", TestPolicies.key("k1")};
  private static final String ON_ADMIN_PORT =
      "/health/ready is on the admin port (--admin-port, 9080 by default)";

  @Test
  void aMissedDoorIs404WithTheRightPathOrPort() {
    try (NodeFixture node = NodeFixture.withAdminPort(TestPolicies.slow())) {
      missed(node.get("/health/ready"), ON_ADMIN_PORT);
      missed(node.get("/health/ready/", KEY), ON_ADMIN_PORT);
      missed(
          node.get("/v1/policy/revisions/3", "Authorization", "Bearer " + NodeFixture.ADMIN),
          "/v1/policy/revisions/… is on the admin port (--admin-port, 9080 by default)");
      missed(
          node.post("/v1/check/", "{}", "Authorization", "Bearer " + NodeFixture.SERVICE),
          "The path is /v1/check, without a slash at its end");
      missed(
          node.post("/v1/check//", "{}", KEY), "The path is /v1/check, without a slash at its end");
      missed(
          node.send(HttpRequest.newBuilder(node.adminUri("/v1/check"))),
          "/v1/check is on the port for callers (--port, 8080 by default)");
      missed(
          node.send(HttpRequest.newBuilder(node.adminUri("/health/ready/"))),
          "The path is /health/ready, without a slash at its end");
      assertThat(node.get("/other").statusCode()).isEqualTo(401);
      assertThat(node.get("/other", KEY).statusCode()).isEqualTo(403);
    }
  }

  @Test
  void aPathThatThePolicyListsBelongsToTheUpstream() {
    String listed = TestPolicies.slow()
        .replace(
            "operations:\n", "operations:\n  - { name: Ready, match: { path: /health/ready } }\n")
        .replace("operations: [Echo, Ping]", "operations: [Echo, Ping, Ready]");
    try (NodeFixture node = NodeFixture.withAdminPort(listed)) {
      assertThat(node.get("/health/ready").statusCode()).isEqualTo(401);
      assertThat(NodeFixture.json(node.get("/health/ready", KEY)).getString("uri"))
          .isEqualTo("/health/ready");
    }
  }

  @Test
  void aPathThatPassesUnlistedBelongsToTheUpstream() {
    String open = "unlistedOperations: allow\n" + TestPolicies.slow();
    try (NodeFixture node = NodeFixture.withAdminPort(open)) {
      assertThat(NodeFixture.json(node.get("/metrics", KEY)).getString("uri"))
          .isEqualTo("/metrics");
    }
  }

  @Test
  void withOnePortForAllNoOtherPortIsNamed() {
    try (NodeFixture node = new NodeFixture(TestPolicies.slow(), FailureMode.DENY)) {
      assertThat(node.get("/health/ready").statusCode()).isEqualTo(200);
      missed(node.get("/health/ready/"), "The path is /health/ready, without a slash at its end");
    }
  }

  private static void missed(HttpResponse<String> response, String detail) {
    assertThat(response.statusCode()).isEqualTo(404);
    JsonObject problem = NodeFixture.json(response);
    assertThat(problem.getString("code")).isEqualTo("not_found");
    assertThat(problem.getString("detail")).isEqualTo(detail);
  }
}
