package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keys on a Redis Cluster, where each record is on the master of its partition. */
final class KeysOnClusterIT {
  @Test
  void keysTenantsListsAndTheAuditAreSpreadOverTheMasters() {
    try (RedisCluster cluster = RedisCluster.start(2, 0);
        NodeFixture node = NodeFixture.at(cluster.uri(), KeysIT.POLICY, FailureMode.DENY)) {
      Operating admin = Operating.on(node);
      List<JsonObject> keys = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        keys.add(admin.key("t" + i % 3));
      }
      for (JsonObject key : keys) {
        await()
            .atMost(Duration.ofMinutes(1))
            .untilAsserted(
                () -> assertThat(admin.check(key.getString("key")).statusCode()).isEqualTo(200));
      }
      JsonObject page = NodeFixture.json(admin.ask("GET", "/v1/keys?limit=100", ""));
      assertThat(page.getJsonArray("keys")).hasSize(20);
      JsonObject ofOne = NodeFixture.json(admin.ask("GET", "/v1/keys?tenant=t1", ""));
      assertThat(ofOne.getJsonArray("keys")).hasSize(7);
      admin.made("/v1/tenants", "{\"id\": \"t1\", \"state\": \"frozen\"}");
      String ofT1 = keys.get(1).getString("key");
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(admin.check(ofT1).body()).contains("access_disabled"));
      JsonObject audit = NodeFixture.json(admin.ask("GET", "/v1/audit?limit=100", ""));
      assertThat(audit.getJsonArray("lines")).hasSize(21);
    }
  }
}
