package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.cluster.SlotHash;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.keys.directory.KnownKeysFixture;
import io.weir.keys.store.RedisRecords;
import io.weir.node.testing.NodeFixture;
import io.weir.state.connection.RedisConnections;
import io.weir.state.wire.ExtensionPartition;
import io.weir.testkit.RedisCluster;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Keys on a Redis Cluster, where each record is on the master of its partition. */
@TestMethodOrder(OrderAnnotation.class)
final class KeysOnClusterIT {
  @AutoClose
  private static final RedisCluster cluster = RedisCluster.start(2, 0);

  // The last one: a part that was away counts as failed for a while.
  @Order(2)
  @Test
  void aNodeThatStartsWhileAPartIsAwayKnowsTheSubjectsOfTheOthers() {
    RedisProcess ofTenant = masterOf("acme");
    RedisProcess other =
        cluster.nodes().stream().filter(it -> it != ofTenant).findFirst().orElseThrow();
    String here = nameOn(ofTenant);
    String there = nameOn(other);
    try (RedisConnections patient = RedisConnections.open(cluster.uri(), Duration.ofMinutes(1));
        RedisConnections redis = RedisConnections.open(cluster.uri(), Duration.ofSeconds(2))) {
      new KnownKeysFixture(new RedisRecords(patient)).putFrozen(here);
      KnownKeysFixture started = new KnownKeysFixture(new RedisRecords(redis));
      // So long the rest of the cluster does not count it as failed, and serves its own slots.
      cluster.nodes().forEach(node -> node.ask("CONFIG SET cluster-node-timeout 60000"));
      other.pause();
      try {
        started.look();
        assertThat(started.isFrozen(here)).isTrue();
        assertThat(started.isFrozen(there)).isFalse();
      } finally {
        other.resume();
      }
    }
  }

  private static String nameOn(RedisProcess master) {
    return IntStream.range(0, 100)
        .mapToObj(i -> "user:" + i)
        .filter(name -> masterOf(name) == master)
        .findFirst()
        .orElseThrow();
  }

  private static RedisProcess masterOf(String name) {
    return cluster.masterOf(SlotHash.getSlot(ExtensionPartition.tag(ExtensionPartition.of(name))));
  }

  @Order(1)
  @Test
  void keysTenantsListsAndTheAuditAreSpreadOverTheMasters() {
    try (NodeFixture node = NodeFixture.at(cluster.uri(), KeysPolicy.TEXT, FailureMode.DENY)) {
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
