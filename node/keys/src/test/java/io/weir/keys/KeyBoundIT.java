package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisDatabase;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The bound of keys that the operators of a tenant make, on two nodes. */
@Tag("isolation")
final class KeyBoundIT {
  private static RedisDatabase redis;
  private static NodeFixture one;
  private static NodeFixture other;
  private static Operating admin;

  @BeforeAll
  static void start() {
    redis = RedisDatabase.open();
    one = NodeFixture.at(redis.uri(), KeysPolicy.TEXT, FailureMode.DENY);
    other = NodeFixture.at(redis.uri(), KeysPolicy.TEXT, FailureMode.DENY);
    admin = Operating.on(one);
  }

  @AfterAll
  static void stop() {
    other.close();
    one.close();
    redis.close();
  }

  /** The operator of a tenant, on both nodes. */
  private static List<Operating> operators(String tenant) {
    JsonObject made = admin.made(
        "/v1/tokens",
        "{\"name\": \"of-%s\", \"scope\": \"keys\", \"tenant\": \"%s\"}".formatted(tenant, tenant));
    List<Operating> both = List.of(
        Operating.on(one).as(made.getString("token")),
        Operating.on(other).as(made.getString("token")));
    both.forEach(operator -> await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> operator.ask("GET", "/v1/keys/none", "").statusCode() != 401));
    return both;
  }

  private static int keys(String tenant) {
    return NodeFixture.json(admin.ask("GET", "/v1/keys?limit=500&tenant=" + tenant, ""))
        .getJsonArray("keys")
        .size();
  }

  @Test
  void operatorsOfATenantMakeNoKeyAboveItsBoundWhereverTheyAsk() throws Exception {
    admin.made("/v1/tenants", "{\"id\": \"bounded\", \"maxKeys\": 10}");
    admin.key("bounded");
    List<Operating> operators = operators("bounded");
    ExecutorService threads = Executors.newFixedThreadPool(12);
    try {
      List<Future<HttpResponse<String>>> asked = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        Operating operator = operators.get(i % 2);
        asked.add(threads.submit(() -> operator.ask("POST", "/v1/keys", "{}")));
      }
      for (Future<HttpResponse<String>> one : asked) {
        assertThat(one.get().statusCode()).as(one.get().body()).isIn(201, 409, 503);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(keys("bounded")).isLessThanOrEqualTo(10);
    for (int i = keys("bounded"); i < 10; i++) {
      operators.get(i % 2).made("/v1/keys", "{}");
    }
    HttpResponse<String> full = operators.get(0).ask("POST", "/v1/keys", "{}");
    assertThat(full.statusCode()).isEqualTo(409);
    assertThat(full.body()).contains("keys_full");
    assertThat(keys("bounded")).isEqualTo(10);
  }

  @Test
  void aDeletedKeyMakesRoomAndTheBoundIsThePlatforms() {
    admin.made("/v1/tenants", "{\"id\": \"small\", \"maxKeys\": 1}");
    Operating small = operators("small").get(1);
    JsonObject first = small.made("/v1/keys", "{}");
    assertThat(small.ask("POST", "/v1/keys", "{}").statusCode()).isEqualTo(409);
    assertThat(small.ask("PATCH", "/v1/tenants/small", "{\"maxKeys\": 5}").statusCode())
        .isEqualTo(403);
    assertThat(small.ask("DELETE", "/v1/keys/" + first.getString("id"), "").statusCode())
        .isEqualTo(204);
    small.made("/v1/keys", "{}");
    admin.key("small");
    assertThat(small.ask("POST", "/v1/keys", "{}").statusCode()).isEqualTo(409);
    assertThat(admin.ask("PATCH", "/v1/tenants/small", "{\"maxKeys\": null}").statusCode())
        .isEqualTo(200);
    small.made("/v1/keys", "{}");
    assertThat(admin.ask("PATCH", "/v1/tenants/small", "{\"maxKeys\": -1}").body())
        .contains("maxKeys: (expected: 0 to 10000)");
    assertThat(admin
            .ask("POST", "/v1/keys", "{\"tenant\": \"small\", \"maxKeys\": 5}")
            .statusCode())
        .isEqualTo(422);
  }
}
