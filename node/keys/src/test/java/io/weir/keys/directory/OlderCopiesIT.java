package io.weir.keys.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.policy.SecretHash;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Secret;
import io.weir.keys.record.Settings;
import io.weir.keys.record.Stamp;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.Change;
import io.weir.keys.store.RedisRecords;
import io.weir.state.connection.RedisConnections;
import io.weir.state.document.PolicyDocuments;
import io.weir.testkit.Histories;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes that have heard of different changes, and a Redis that comes back with an older copy; by a clock that the test moves. */
final class OlderCopiesIT {
  private static final PolicyRevision POLICY =
      new PolicyRevision(7, PolicyDocuments.parse("test", """
              buckets:
                - { name: calls, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
              """).policy());
  private static final int KEYS = 6;

  private final AtomicLong nanos = new AtomicLong(12_345);
  private final List<RedisConnections> connections = new ArrayList<>();
  private final Set<Long> versions = new HashSet<>();
  /** What puts each key of the older copy back. */
  private final List<Consumer<RedisCommands<String, String>>> copy = new ArrayList<>();

  private RedisProcess redis;

  /** A node, as far as it knows keys. */
  private record Node(KnownKeys known, RedisRecords records) {
    void look() {
      done(known.look());
    }

    boolean accepts(String id, String secret) {
      return done(known
              .ofKey(id + "." + secret, Optional.of("198.51.100.7"))
              .otherwise(Optional.empty()) // refused, as it cannot be known now
              .toCompletionStage())
          .isPresent();
    }
  }

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
  }

  @AfterEach
  void stop() {
    connections.forEach(RedisConnections::close);
    redis.close();
  }

  private Node node() {
    RedisConnections opened = RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
    connections.add(opened);
    RedisRecords records = new RedisRecords(opened);
    Node node = new Node(
        new KnownKeys(
            records,
            KnownKeysFixture.always(POLICY),
            10 << 20,
            nanos::get,
            new KeyMeters(new SimpleMeterRegistry())),
        records);
    node.look();
    return node;
  }

  private static <T> T done(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  private void put(Node by, String id, Optional<String> secret) {
    Optional<StoredRecord> before = done(by.records().find(RecordType.KEY, id));
    Stamp now = new Stamp(1, "test");
    Optional<StoredRecord> after = secret.map(it -> new StoredRecord(
        new StoredRecord.Name(RecordType.KEY, id, "acme"),
        Settings.NONE,
        List.of(Secret.of(SecretHash.of(it))),
        "",
        StoredRecord.History.begun(now)));
    if (before.isPresent() || after.isPresent()) {
      long version =
          done(by.records().put(new Change("test", now, before, after))).orElseThrow();
      assertThat(versions.add(version)).as("a version that was given before").isTrue();
    }
  }

  private void keepCopy() {
    copy.clear();
    try (RedisClient client = RedisClient.create(redis.uri())) {
      RedisCommands<String, String> commands = client.connect().sync();
      for (String key : commands.keys("*")) {
        byte[] value = commands.dump(key);
        long ttlMillis = Math.max(0, commands.pttl(key));
        copy.add(to -> to.restore(key, ttlMillis, value));
      }
    }
  }

  // What its clients notice of a restart with the copy.
  private void comeBack() {
    try (RedisClient client = RedisClient.create(redis.uri())) {
      RedisCommands<String, String> commands = client.connect().sync();
      commands.multi();
      commands.flushall();
      copy.forEach(key -> key.accept(commands));
      commands.scriptFlush();
      commands.clientKill(KillArgs.Builder.skipme());
      assertThat(commands.exec().wasDiscarded()).isFalse();
    }
    connections.forEach(OlderCopiesIT::awaitConnection);
  }

  private static void awaitConnection(RedisConnections one) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() ->
            done(one.ask(commands -> commands.get("any")).handle((value, error) -> error == null)));
  }

  // The node has put back what it knows as soon as its look and those writes have ended.
  private void lookUntilPutBack(Node node) {
    node.look();
    await().atMost(Duration.ofMinutes(1)).until(node.known().cache()::isSettled);
    node.look();
  }

  @Test
  void manyHistoriesEndWithTheNewestThatAnyNodeKnew() {
    for (int i = 0; i < 8; i++) {
      redis.ask("FLUSHALL");
      versions.clear();
      history(new Random(Histories.firstSeed() + i));
      connections.forEach(RedisConnections::close);
      connections.clear();
    }
  }

  private void history(Random random) {
    Node knows = node();
    Node knowsHalf = node();
    Node writes = node();
    Map<String, String> wanted = new HashMap<>();
    for (int i = 0; i < KEYS; i++) {
      put(writes, "k" + i, Optional.of("s0"));
      wanted.put("k" + i, "s0");
    }
    knows.look();
    knowsHalf.look();
    keepCopy();
    int lost = 1 + random.nextInt(6);
    for (int i = 1; i <= lost; i++) {
      String id = "k" + random.nextInt(KEYS);
      String secret = random.nextBoolean() ? "s" + i : "";
      put(writes, id, Optional.of(secret).filter(it -> !it.isEmpty()));
      wanted.put(id, secret);
      knows.look();
      if (i <= lost / 2) {
        knowsHalf.look();
      }
    }
    awaitContents(knows);
    comeBack();
    // As many changes as were lost, or more, by a node that knows nothing: the number alone tells
    // nothing.
    Node started = node();
    int more = List.of(0, lost, lost + 2).get(random.nextInt(3));
    for (int i = 0; i < more; i++) {
      put(started, "new" + i, Optional.of("s0"));
      wanted.put("new" + i, "s0");
    }
    List<Node> nodes = random.nextBoolean() ? List.of(knows, knowsHalf) : List.of(knowsHalf, knows);
    nodes.forEach(this::lookUntilPutBack);
    for (Node node : List.of(knows, knowsHalf, started, node())) {
      node.look();
      wanted.forEach((id, secret) -> {
        for (int i = 0; i <= lost; i++) {
          assertThat(node.accepts(id, "s" + i))
              .as("%s.s%d, of which %s counts", id, i, secret)
              .isEqualTo(secret.equals("s" + i));
        }
      });
    }
  }

  private static void awaitContents(Node node) {
    await().atMost(Duration.ofMinutes(1)).until(node.known().cache()::isSettled);
  }

  @Test
  void aNodeNeverAnswersFromAnOlderCopy() {
    Node node = node();
    put(node, "k1", Optional.of("s0"));
    node.look();
    keepCopy();
    put(node, "k1", Optional.empty());
    node.look();
    comeBack();
    // Before it has looked: nobody has told it yet.
    assertThat(node.accepts("k1", "s0")).isFalse();
    lookUntilPutBack(node);
    assertThat(node.accepts("k1", "s0")).isFalse();
    assertThat(done(node.records().find(RecordType.KEY, "k1"))).isEmpty();
  }

  @Test
  void aPausedNodeRevivesNothing() {
    Node pausing = node();
    Node other = node();
    keepCopy();
    put(other, "k1", Optional.of("s0"));
    pausing.look();
    awaitContents(pausing);
    assertThat(pausing.accepts("k1", "s0")).isTrue();
    put(other, "k1", Optional.empty());
    nanos.addAndGet(Duration.ofSeconds(30).toNanos());
    comeBack();
    lookUntilPutBack(pausing);
    assertThat(done(pausing.records().find(RecordType.KEY, "k1"))).isEmpty();
  }

  @Test
  void changesWaitWhileNodesCompare() {
    Node node = node();
    put(node, "k1", Optional.of("s0"));
    node.look();
    keepCopy();
    put(node, "k1", Optional.of("s1"));
    node.look();
    awaitContents(node);
    comeBack();
    lookUntilPutBack(node);
    assertThat(redis.ask("HGET weir:keys uncertain")).isNotBlank();
    redis.ask("HSET weir:keys uncertain 9000000000000000"); // however slow this machine is
    assertThatThrownBy(() -> put(node, "k2", Optional.of("s0")))
        .isInstanceOf(CompletionException.class)
        .hasMessageContaining("records_uncertain");
    redis.ask("HDEL weir:keys uncertain"); // as after some seconds
    put(node, "k2", Optional.of("s0"));
    assertThat(node.accepts("k1", "s0")).isFalse();
    assertThat(node.accepts("k1", "s1")).isTrue();
  }
}
