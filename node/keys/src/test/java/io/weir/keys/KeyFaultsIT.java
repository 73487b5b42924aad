package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Keys while Redis is away or has lost them, while a node hangs, and while strangers try many. */
@Tag("isolation")
final class KeyFaultsIT {
  private RedisProcess redis;
  private NodeFixture fixture;
  private Operating admin;

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
    fixture = NodeFixture.losing(redis.uri(), KeysPolicy.TEXT, FailureMode.LOCAL);
    admin = Operating.on(fixture);
  }

  @AfterEach
  void stop() {
    fixture.close();
    redis.close();
  }

  private void checked(String key, int status) {
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(admin.check(key).statusCode()).isEqualTo(status));
  }

  @Test
  void whileRedisIsAwayKnownKeysGoOnAndUnknownOnesAreTold503() {
    String known = admin.key("acme").getString("key");
    String unused = admin.key("acme").getString("key");
    checked(known, 200);
    redis.pause();
    try {
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(admin.check(unused).statusCode()).isEqualTo(503));
      for (int i = 0; i < 5; i++) {
        assertThat(admin.check(known).statusCode()).isEqualTo(200);
        assertThat(admin.check(unused).statusCode()).isEqualTo(503);
      }
    } finally {
      redis.resume();
    }
    checked(unused, 200);
    checked(known, 200);
  }

  @Test
  void aRedisThatHasLostEverythingGetsBackWhatTheNodeKnows() {
    JsonObject used = admin.key("acme");
    String unused = admin.key("acme").getString("key");
    checked(used.getString("key"), 200);
    admin.made("/v1/tokens", "{\"name\": \"ci\", \"scope\": \"read\"}");
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> admin.ask("GET", "/v1/tokens", "").body().contains("\"ci\""));
    try (RedisConnections connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      connections.sync().flushall();
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(
              () -> assertThat(connections.sync().keys("weir:*:apikey:" + used.getString("id")))
                  .hasSize(1));
    }
    checked(used.getString("key"), 200);
    assertThat(admin.ask("GET", "/v1/keys/" + used.getString("id"), "").statusCode())
        .isEqualTo(200);
    checked(unused, 200);
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> admin.ask("POST", "/v1/keys", "{\"tenant\": \"acme\"}").statusCode() == 201);
  }

  @Test
  void anotherNodeHearsOfAChangeWithinASecond() {
    JsonObject key = admin.key("acme");
    try (NodeFixture other = NodeFixture.losing(redis.uri(), KeysPolicy.TEXT, FailureMode.LOCAL)) {
      Operating second = Operating.on(other);
      assertThat(second.check(key.getString("key")).statusCode()).isEqualTo(200);
      String one = "/v1/keys/" + key.getString("id");
      assertThat(admin.ask("PATCH", one, "{\"state\": \"frozen\"}").statusCode())
          .isEqualTo(200);
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() ->
              assertThat(second.check(key.getString("key")).body()).contains("access_disabled"));
    }
  }

  @Test
  void strangersThatTryManyKeysAreBoundedAndDisplaceNobody() {
    String known = admin.key("acme").getString("key");
    checked(known, 200);
    int busy = 0;
    for (int i = 0; i < 300; i++) {
      busy += admin.check("guess" + i + ".secret-of-it").statusCode() == 503 ? 1 : 0;
    }
    assertThat(busy).isPositive();
    assertThat(admin.check(known).statusCode()).isEqualTo(200);
    // A key whose checksum is wrong is not looked up at all.
    assertThat(admin.check(known.substring(0, known.length() - 1) + "~").statusCode())
        .isEqualTo(401);
  }
}
