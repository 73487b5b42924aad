package io.weir.operators.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.operators.nodes.RedisNodes.SeenNode;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records of nodes in Redis: each for an hour, and not too many. */
final class RedisNodesIT {
  private RedisProcess redis;
  private RedisConnections connections;
  private RedisNodes nodes;

  @BeforeEach
  void open() {
    redis = RedisProcess.start();
    connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
    nodes = new RedisNodes(connections);
  }

  @AfterEach
  void close() {
    connections.close();
    redis.close();
  }

  private void put(String node) {
    nodes.put(node, new JsonObject().put("listens", node + ":8080")).join();
  }

  private List<String> seen() {
    return nodes.look().join().nodes().stream().map(SeenNode::node).sorted().toList();
  }

  private Instant now() {
    return Instant.ofEpochSecond(Long.parseLong(connections.sync().time().get(0)));
  }

  private void stored(String node, Duration before) {
    redis.ask(
        "HSET weir:nodes:seen %s \"%d {}\"".formatted(node, now().minus(before).toEpochMilli()));
  }

  @Test
  void aNodeIsKnownByWhatItSaidLastUntilItEnds() {
    Instant before = now();
    put("one");
    put("two");
    put("two");
    SeenNode one = nodes.look().join().nodes().stream()
        .filter(it -> it.node().equals("one"))
        .findFirst()
        .orElseThrow();
    assertThat(one.facts()).isEqualTo(new JsonObject().put("listens", "one:8080"));
    assertThat(one.seen()).isBetween(before, now().plusSeconds(1));
    assertThat(seen()).containsExactly("one", "two");

    assertThat(nodes.look().join().ended()).isEmpty();
    nodes.end("one").join();
    nodes.end("one").join();
    assertThat(seen()).containsExactly("two");
    assertThat(nodes.look().join().ended().orElseThrow())
        .isBetween(before, now().plusSeconds(1));
    put("two");
    assertThat(nodes.look().join().ended()).isPresent();
  }

  @Test
  void aRecordOutlivesItsNodeForAnHour() {
    stored("recent", Duration.ofMinutes(59));
    stored("old", Duration.ofMinutes(61));
    redis.ask("HSET weir:nodes:seen other nonsense");
    assertThat(seen()).containsExactly("recent");

    put("one");
    assertThat(redis.ask("HLEN weir:nodes:seen")).isEqualTo(":2");
    assertThat(seen()).containsExactly("one", "recent");
    long left = Long.parseLong(redis.ask("PTTL weir:nodes:seen").substring(1));
    assertThat(left).isBetween(1L, RedisNodes.LIVES.toMillis());
  }

  @Test
  void theOldestOfTooManyGoes() {
    for (int i = 0; i < RedisNodes.MOST + 20; i++) {
      stored("n" + i, Duration.ofSeconds(100 + i));
    }
    put("one");
    assertThat(seen()).hasSize(RedisNodes.MOST).contains("one", "n0").doesNotContain("n70");
  }
}
