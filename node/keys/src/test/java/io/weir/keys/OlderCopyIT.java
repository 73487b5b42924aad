package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Redis comes back with a copy from before some keys and tokens were withdrawn. */
final class OlderCopyIT {
  private RedisProcess redis;
  private NodeFixture fixture;
  private Operating admin;
  private JsonObject deleted;
  private JsonObject frozen;
  private JsonObject rotated;
  private String token;

  @BeforeEach
  void withdrawWhatTheCopyHas() {
    redis = RedisProcess.start();
    fixture = NodeFixture.losing(redis.uri(), KeysPolicy.TEXT, FailureMode.LOCAL);
    admin = Operating.on(fixture);
    deleted = admin.key("acme");
    frozen = admin.key("acme");
    rotated = admin.key("acme");
    token =
        admin.made("/v1/tokens", "{\"name\": \"chief\", \"scope\": \"all\"}").getString("token");
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> statuses().equals(List.of(200, 200, 200, 200)));
    assertThat(redis.ask("SAVE")).contains("OK");
    assertThat(admin.ask("DELETE", key(deleted), "").statusCode()).isEqualTo(204);
    assertThat(admin.ask("PATCH", key(frozen), "{\"state\": \"frozen\"}").statusCode())
        .isEqualTo(200);
    assertThat(admin
            .ask("POST", key(rotated) + "/rotate", "{\"overlapSeconds\": 0}")
            .statusCode())
        .isEqualTo(200);
    assertThat(admin.ask("DELETE", "/v1/tokens/chief", "").statusCode()).isEqualTo(204);
  }

  @AfterEach
  void stop() {
    fixture.close();
    redis.close();
  }

  private static String key(JsonObject key) {
    return "/v1/keys/" + key.getString("id");
  }

  private List<Integer> statuses() {
    return List.of(
        admin.check(deleted.getString("key")).statusCode(),
        admin.check(frozen.getString("key")).body().contains("access_disabled") ? 403 : 200,
        admin.check(rotated.getString("key")).statusCode(),
        admin.as(token).ask("GET", "/v1/tokens", "").statusCode());
  }

  private void awaitWithdrawn(NodeFixture node) {
    Operating there = Operating.on(node);
    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      assertThat(there.check(deleted.getString("key")).statusCode()).isEqualTo(401);
      assertThat(there.check(frozen.getString("key")).body()).contains("access_disabled");
      assertThat(there.check(rotated.getString("key")).statusCode()).isEqualTo(401);
      assertThat(there.as(token).ask("GET", "/v1/tokens", "").statusCode()).isEqualTo(401);
    });
  }

  @Test
  void whatWasWithdrawnStaysSoOnEveryNode() {
    awaitWithdrawn(fixture);
    redis.kill();
    redis.restart();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> fixture.get("/metrics").body().contains("throttle_keys_rewound_total 1"));
    for (int i = 0; i < 20; i++) {
      // Or 503, while it cannot be known.
      assertThat(statuses()).doesNotContain(200);
    }
    try (NodeFixture started =
        NodeFixture.losing(redis.uri(), KeysPolicy.TEXT, FailureMode.LOCAL)) {
      awaitWithdrawn(started);
    }
    awaitWithdrawn(fixture);
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> admin.ask("PATCH", key(frozen), "{\"note\": \"later\"}").statusCode() == 200);
    assertThat(admin.ask("GET", "/v1/audit", "").body()).contains("put back");
  }
}
