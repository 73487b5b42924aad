package io.weir.keys.directory;

import static io.weir.keys.directory.KnownKeysFixture.POLICY;
import static io.weir.keys.directory.KnownKeysFixture.done;
import static io.weir.keys.directory.KnownKeysFixture.frozen;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.SecretHash;
import io.weir.core.policy.Subject;
import io.weir.keys.record.KeyState;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Secret;
import io.weir.keys.record.Settings;
import io.weir.keys.record.Stamp;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.RedisRecords;
import io.weir.state.connection.RedisConnections;
import io.weir.state.wire.RedisKeys;
import io.weir.testkit.RedisDatabase;
import io.weir.testkit.RedisTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a node knows of keys, by a clock that the test moves. */
final class KnownKeysIT {
  private static final Secret SECRET = Secret.of(SecretHash.of("secret"));

  private RedisDatabase database;
  private RedisConnections redis;
  private RedisRecords records;
  private KnownKeysFixture node;
  private KnownKeys known;

  @BeforeEach
  void open() {
    database = RedisDatabase.open();
    redis = RedisConnections.open(database.uri(), Duration.ofMinutes(1));
    records = new RedisRecords(redis);
    node = new KnownKeysFixture(records);
    known = node.known;
    node.look();
  }

  @AfterEach
  void close() {
    redis.close();
    database.close();
  }

  private StoredRecord put(Optional<StoredRecord> before, Settings settings, Secret... secrets) {
    return node.put("k1", before, settings, secrets);
  }

  private Optional<Subject> shown(String key) {
    return done(known.ofKey(key, Optional.of("198.51.100.7")).toCompletionStage());
  }

  private boolean isFrozen() {
    return KnownKeysFixture.isFrozen(shown("k1.secret"));
  }

  @Test
  void aNodeThatWasPausedLooksBeforeItAnswers() {
    StoredRecord entry = put(Optional.empty(), Settings.NONE, SECRET);
    assertThat(isFrozen()).isFalse();
    put(Optional.of(entry), frozen(), SECRET);
    // It has looked a moment ago, so it may not know yet.
    node.pass(Duration.ofMillis(600));
    assertThat(isFrozen()).isFalse();
    // All timers stood still for five seconds; the request comes before any look.
    node.pass(Duration.ofSeconds(5));
    assertThat(isFrozen()).isTrue();
  }

  @Test
  void aPausedNodeLooksForTheRecordOfASubjectBeforeItAnswers() {
    assertThat(node.isFrozen("user:1")).isFalse();
    node.putFrozen("user:1");
    node.pass(Duration.ofMillis(600));
    assertThat(node.isFrozen("user:1")).isFalse();
    node.pass(Duration.ofSeconds(5));
    assertThat(node.isFrozen("user:1")).isTrue();
  }

  @Test
  void theRecordOfTheTenantOfARuleIsReadOnceAndThenCostsNoCall() {
    node.putTenant(frozen());
    node.look();
    assertThat(node.isFrozen("user:1")).isTrue();

    long before = commands();
    for (int i = 0; i < 10; i++) {
      assertThat(node.isFrozen("user:" + i)).isTrue();
    }
    assertThat(commands() - before - 1).isZero(); // that counts itself

    node.putTenant(Settings.NONE);
    node.look();
    assertThat(node.isFrozen("user:1")).isFalse();
  }

  @Test
  void aPausedNodeLooksForTheRecordOfTheTenantOfARule() {
    assertThat(node.isFrozen("user:1")).isFalse();
    node.putTenant(frozen());
    node.pass(Duration.ofSeconds(5));
    assertThat(node.isFrozen("user:1")).isTrue();
  }

  @Test
  void withoutRedisTheSubjectOfARuleGoesByWhatIsKnownOfItsTenant() {
    KnownKeysFixture other = new KnownKeysFixture(records);
    other.look();
    node.putTenant(frozen());
    node.look();
    assertThat(node.isFrozen("user:1")).isTrue();
    redis.close();
    for (KnownKeysFixture one : new KnownKeysFixture[] {node, other}) {
      one.pass(Duration.ofSeconds(5));
      one.look();
      one.look();
    }

    assertThat(node.isFrozen("user:1")).isTrue();
    assertThat(other.isFrozen("user:1")).isFalse();
  }

  @Test
  void theNamesOfSubjectsAreReadThoughTokensCannotBe() {
    node.putFrozen("user:1");
    redis.sync().set(RedisKeys.ofPart(0, "operator-tokens"), "not a set");
    KnownKeysFixture other = new KnownKeysFixture(records);

    other.look();

    assertThat(other.known.cache().subjects().contains("user:1")).isTrue();
  }

  @Test
  void asLongAsTheNamesOfSubjectsCannotBeReadEachIsLookedUp() {
    node.putFrozen("user:1");
    redis.sync().set(RedisKeys.ofPart(0, "apikeys:subjects"), "no names");
    KnownKeysFixture other = new KnownKeysFixture(records);

    other.look();

    assertThat(other.isFrozen("user:1")).isTrue();
    assertThat(other.isFrozen("user:2")).isFalse();
    for (int i = 0; i < 3000; i++) {
      assertThat(other.isFrozen("user:more" + i)).as("by its rule").isFalse();
    }
  }

  @Test
  void aLookFindsAChange() {
    StoredRecord entry = put(Optional.empty(), Settings.NONE, SECRET);
    assertThat(isFrozen()).isFalse();
    put(Optional.of(entry), frozen(), SECRET);
    node.look();
    assertThat(isFrozen()).isTrue();
  }

  @Test
  void aSubjectThatWaitsFollowsTheChangeOfItsKey() {
    StoredRecord entry = put(Optional.empty(), Settings.NONE, SECRET);
    Subject waiting = shown("k1.secret").orElseThrow();
    put(Optional.of(entry), KnownKeysFixture.in(KeyState.DISABLED), SECRET);
    node.look();
    assertThat(shown("k1.secret")).isEmpty();
    assertThat(waiting.in(POLICY.policy())).isEmpty();
  }

  @Test
  void anUnknownKeyIsRememberedUntilItIsMade() {
    assertThat(shown("k1.secret")).isEmpty();
    put(Optional.empty(), Settings.NONE, SECRET);
    assertThat(shown("k1.secret")).isEmpty();
    node.look();
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
    node.look();
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
    node.look();
    assertThat(shown("k1.another")).isPresent();
  }

  @Test
  void endsAreThoseOfRedisClock() {
    long now = RedisTime.nanos() / 1_000_000;
    Settings ending = new Settings(
        Optional.empty(),
        new Settings.Validity(KeyState.ACTIVE, OptionalLong.of(now + 60_000)),
        List.of(),
        Map.of(),
        "");
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
    node.pass(time);
    node.look();
  }

  @Test
  void aSecretAndAKeyEndAtTheirMoment() {
    long now = RedisTime.nanos() / 1_000_000;
    StoredRecord entry = new StoredRecord(
        new StoredRecord.Name(RecordType.KEY, "k1", "acme"),
        new Settings(
            Optional.empty(),
            new Settings.Validity(KeyState.ACTIVE, OptionalLong.of(now + 60_000)),
            List.of(),
            Map.of(),
            ""),
        List.of(new Secret(SecretHash.of("old"), OptionalLong.of(now + 30_000)), SECRET),
        "",
        new StoredRecord.History(new Stamp(now, "test"), new Stamp(now, "test"), 1));
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
    node.look();
    assertThat(shown("an-old-key-of-kong").orElseThrow().id()).isEqualTo("k1");
    assertThat(done(records.name(SecretHash.of("an-old-key-of-kong").compact(), "k2")))
        .isFalse();
  }
}
