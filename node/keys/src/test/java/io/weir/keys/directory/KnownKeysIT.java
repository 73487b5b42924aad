package io.weir.keys.directory;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.core.policy.OperationLimit.Frozen;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.policy.SecretHash;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.PolicySource;
import io.weir.keys.record.KeyState;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Secret;
import io.weir.keys.record.Settings;
import io.weir.keys.record.Stamp;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.Change;
import io.weir.keys.store.RedisRecords;
import io.weir.state.connection.RedisConnections;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.wire.RedisKeys;
import io.weir.testkit.RedisDatabase;
import io.weir.testkit.RedisTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a node knows of keys, by a clock that the test moves. */
final class KnownKeysIT {
  private static final PolicyRevision POLICY =
      new PolicyRevision(7, PolicyDocuments.parse("test", """
              buckets:
                - { name: calls, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
              subjects: [{ match: "user:*", tenant: acme }]
              """).policy());
  private static final Secret SECRET = Secret.of(SecretHash.of("secret"));

  private final AtomicLong nanos = new AtomicLong(12_345);
  private RedisDatabase database;
  private RedisConnections redis;
  private RedisRecords records;
  private KnownKeys known;

  @BeforeEach
  void open() {
    database = RedisDatabase.open();
    redis = RedisConnections.open(database.uri(), Duration.ofSeconds(5));
    records = new RedisRecords(redis);
    known = node();
    done(known.look());
  }

  private KnownKeys node() {
    PolicySource policies = new PolicySource() {
      @Override
      public PolicyRevision current() {
        return POLICY;
      }

      @Override
      public CompletionStage<PolicyRevision> reload(long seenRevision) {
        return CompletableFuture.completedFuture(POLICY);
      }
    };
    return new KnownKeys(
        records, policies, 10 << 20, nanos::get, new KeyMeters(new SimpleMeterRegistry()));
  }

  @AfterEach
  void close() {
    redis.close();
    database.close();
  }

  private static <T> T done(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }

  private StoredRecord put(Optional<StoredRecord> before, Settings settings, Secret... secrets) {
    return put("k1", before, settings, secrets);
  }

  private StoredRecord put(
      String id, Optional<StoredRecord> before, Settings settings, Secret... secrets) {
    Stamp now = new Stamp(RedisTime.nanos() / 1_000_000, "test");
    StoredRecord entry =
        new StoredRecord(RecordType.KEY, id, "acme", settings, List.of(secrets), "", now, now, 0);
    OptionalLong version = done(records.put(new Change("test", now, before, Optional.of(entry))));
    return new StoredRecord(
        RecordType.KEY,
        id,
        "acme",
        settings,
        List.of(secrets),
        "",
        now,
        now,
        version.orElseThrow());
  }

  private Optional<Subject> shown(String key) {
    return done(known.ofKey(key, Optional.of("198.51.100.7")).toCompletionStage());
  }

  private boolean isFrozen() {
    return shown("k1.secret").orElseThrow().plan().limit("Ask") instanceof Frozen;
  }

  private static Settings frozen() {
    return Settings.NONE.in(KeyState.FROZEN);
  }

  @Test
  void aNodeThatWasPausedLooksBeforeItAnswers() {
    StoredRecord entry = put(Optional.empty(), Settings.NONE, SECRET);
    assertThat(isFrozen()).isFalse();
    put(Optional.of(entry), frozen(), SECRET);
    // It has looked a moment ago, so it may not know yet.
    nanos.addAndGet(Duration.ofMillis(600).toNanos());
    assertThat(isFrozen()).isFalse();
    // All timers stood still for five seconds; the request comes before any look.
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    assertThat(isFrozen()).isTrue();
  }

  @Test
  void aPausedNodeLooksForTheRecordOfASubjectBeforeItAnswers() {
    assertThat(isFrozenByName("user:1")).isFalse();
    put("user:1", Optional.empty(), frozen());
    nanos.addAndGet(Duration.ofMillis(600).toNanos());
    assertThat(isFrozenByName("user:1")).isFalse();
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    assertThat(isFrozenByName("user:1")).isTrue();
  }

  private boolean isFrozenByName(String name) {
    return done(known.named(name, () -> POLICY.policy().covered(name)).toCompletionStage())
            .orElseThrow()
            .plan()
            .limit("Ask")
        instanceof Frozen;
  }

  @Test
  void theNamesOfSubjectsAreReadThoughTokensCannotBe() {
    put("user:1", Optional.empty(), frozen());
    redis.sync().set(RedisKeys.ofPart(0, "operator-tokens"), "not a set");
    KnownKeys other = node();

    done(other.look());

    assertThat(other.cache().subjects().contains("user:1")).isTrue();
  }

  @Test
  void aLookFindsAChange() {
    StoredRecord entry = put(Optional.empty(), Settings.NONE, SECRET);
    assertThat(isFrozen()).isFalse();
    put(Optional.of(entry), frozen(), SECRET);
    done(known.look());
    assertThat(isFrozen()).isTrue();
  }

  @Test
  void aSubjectThatWaitsFollowsTheChangeOfItsKey() {
    StoredRecord entry = put(Optional.empty(), Settings.NONE, SECRET);
    Subject waiting = shown("k1.secret").orElseThrow();
    put(Optional.of(entry), Settings.NONE.in(KeyState.DISABLED), SECRET);
    done(known.look());
    assertThat(shown("k1.secret")).isEmpty();
    assertThat(waiting.in(POLICY.policy())).isEmpty();
  }

  @Test
  void anUnknownKeyIsRememberedUntilItIsMade() {
    assertThat(shown("k1.secret")).isEmpty();
    put(Optional.empty(), Settings.NONE, SECRET);
    assertThat(shown("k1.secret")).isEmpty();
    done(known.look());
    assertThat(shown("k1.secret")).isPresent();
    assertThat(shown("k1.other")).isEmpty();
  }

  @Test
  void aNewSecretOpensAtOnceOnEveryNode() {
    StoredRecord entry = put(Optional.empty(), Settings.NONE, SECRET);
    assertThat(shown("k1.secret")).isPresent();
    put(Optional.of(entry), Settings.NONE, SECRET, Secret.of(SecretHash.of("another")));
    // This node has not looked since.
    assertThat(shown("k1.another")).isPresent();
    assertThat(shown("k1.wrong")).isEmpty();
  }

  @Test
  void aWrongSecretCostsTheSameWhetherOrNotItsIdExists() {
    put(Optional.empty(), Settings.NONE, SECRET);
    assertThat(shown("k1.secret")).isPresent();

    assertThat(callsFor("k1.wrong")).isEqualTo(callsFor("nobody.wrong")).isPositive();
    assertThat(callsFor("k1.other")).isEqualTo(callsFor("nobody.other")).isPositive();
    assertThat(callsFor("k1.wrong")).isEqualTo(callsFor("nobody.wrong"));
    done(known.look());
    assertThat(callsFor("k1.third")).isEqualTo(callsFor("nobody.third")).isPositive();
    // What was refused is remembered: a client with an old key costs nothing.
    assertThat(callsFor("k1.third")).isZero();
    assertThat(callsFor("nobody.third")).isZero();
  }

  private long callsFor(String key) {
    long before = commands();
    assertThat(shown(key)).isEmpty();
    return commands() - before - 1; // that counts itself
  }

  private long commands() {
    String stats = redis.sync().info("commandstats");
    return Stream.of(stats.split("\r\n"))
        .filter(line -> line.startsWith("cmdstat_"))
        .mapToLong(line -> Long.parseLong(line.replaceFirst(".*:calls=([0-9]+),.*", "$1")))
        .sum();
  }

  @Test
  void wrongSecretsAreBoundedAlikeWhetherOrNotTheirIdExists() {
    put(Optional.empty(), Settings.NONE, SECRET);
    assertThat(shown("k1.secret")).isPresent();

    int ofNobody = refusedUntilBusy("nobody", "198.51.100.1");
    assertThat(refusedUntilBusy("k1", "198.51.100.2")).isEqualTo(ofNobody).isLessThan(200);
    assertThat(shown("k1.secret")).isPresent();
  }

  private int refusedUntilBusy(String id, String address) {
    int refused = 0;
    while (refused < 200
        && known
            .ofKey("%s.wrong%d".formatted(id, refused), Optional.of(address))
            .toCompletionStage()
            .handle((subject, error) -> error == null && subject.isEmpty())
            .toCompletableFuture()
            .orTimeout(10, TimeUnit.SECONDS)
            .join()) {
      refused++;
    }
    return refused;
  }

  @Test
  void aRefusedKeyOpensWhenItIsGivenItsSecret() {
    StoredRecord entry = put(Optional.empty(), Settings.NONE, SECRET);
    assertThat(shown("k1.another")).isEmpty();
    put(Optional.of(entry), Settings.NONE, SECRET, Secret.of(SecretHash.of("another")));
    done(known.look());
    assertThat(shown("k1.another")).isPresent();
  }

  @Test
  void endsAreThoseOfRedisClock() {
    long now = RedisTime.nanos() / 1_000_000;
    Settings ending = new Settings(
        Optional.empty(), KeyState.ACTIVE, OptionalLong.of(now + 60_000), List.of(), Map.of(), "");
    Secret old = new Secret(SecretHash.of("old"), OptionalLong.of(now + 30_000));
    put(Optional.empty(), ending, old, SECRET);
    assertThat(shown("k1.old")).isPresent();
    // The clock of this process is not asked: only how much time has passed since a look.
    passWithLooks(Duration.ofSeconds(29));
    assertThat(shown("k1.old")).isPresent();
    passWithLooks(Duration.ZERO);
    assertThat(known.nowMillis("k1")).isBetween(now, now + 60_000);
  }

  // Each look sets the clock to Redis's, which has hardly moved.
  private void passWithLooks(Duration time) {
    nanos.addAndGet(time.toNanos());
    done(known.look());
  }

  @Test
  void aSecretAndAKeyEndAtTheirMoment() {
    long now = RedisTime.nanos() / 1_000_000;
    StoredRecord entry = new StoredRecord(
        RecordType.KEY,
        "k1",
        "acme",
        new Settings(
            Optional.empty(),
            KeyState.ACTIVE,
            OptionalLong.of(now + 60_000),
            List.of(),
            Map.of(),
            ""),
        List.of(new Secret(SecretHash.of("old"), OptionalLong.of(now + 30_000)), SECRET),
        "",
        new Stamp(now, "test"),
        new Stamp(now, "test"),
        1);
    assertThat(entry.isOpenedBy("old", now + 29_999)).isTrue();
    assertThat(entry.isOpenedBy("old", now + 30_000)).isFalse();
    assertThat(entry.isOpenedBy("secret", now + 30_000)).isTrue();
    assertThat(entry.isUsableAt(now + 59_999)).isTrue();
    assertThat(entry.isUsableAt(now + 60_000)).isFalse();
  }

  @Test
  void aKeyFromElsewhereIsFoundByItsText() {
    put(Optional.empty(), Settings.NONE, Secret.of(SecretHash.of("an-old-key-of-kong")));
    assertThat(shown("an-old-key-of-kong")).isEmpty();
    done(records.name(SecretHash.of("an-old-key-of-kong").compact(), "k1"));
    done(known.look());
    assertThat(shown("an-old-key-of-kong").orElseThrow().id()).isEqualTo("k1");
    assertThat(done(records.name(SecretHash.of("an-old-key-of-kong").compact(), "k2")))
        .isFalse();
  }
}
