package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Scope;
import io.weir.core.lease.LeaseReport;
import io.weir.inmemory.LeasePool;
import io.weir.inmemory.LeasePool.Granted;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lease.Pool;
import io.weir.state.lease.RedisLeases;
import io.weir.state.lease.RedisLeases.Answer;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.LeaseRace;
import io.weir.testkit.ManualClock;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script of leases gives the same answers as the pure pool. */
@ExtendWith(RedisFixture.class)
final class RedisLeasesIT {
  private static final Duration LEASE = Duration.ofMillis(200);
  private static final int STEPS = 3000;

  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void bothSidesCountTheSame(long seed) {
    Random random = new Random(seed);
    String name = "b" + seed;
    Scope scope = seed == 1 ? Scope.CLUSTER : seed == 2 ? Scope.TENANT : Scope.KEY;
    Bucket[] shapes = {
      new Bucket(name, scope, 20_000_000, 1000),
      new Bucket(name, scope, 30_000_000, 500),
      new Bucket(name, scope, 7, 3)
    };
    long[] spent = new long[4];
    LeasePool pool = LeasePool.empty(shapes[0]);
    long now = 4_000_000_000_000_000L;
    for (int step = 1; step <= STEPS; step++) {
      now += random.nextInt(10) == 0 ? random.nextInt(2_000_000) - 10_000 : random.nextInt(20_000);
      now -= random.nextInt(50) == 0 ? random.nextLong(1_000_000_000_000L) : 0;
      Bucket bucket = shapes[random.nextInt(50) == 0 ? random.nextInt(3) : 0];
      int holder = random.nextInt(spent.length);
      long most = bucket.capacityUnits();
      long before = spent[holder];
      spent[holder] += random.nextInt(3) == 0 ? 0 : Math.floorMod(random.nextLong(), most / 8 + 1);
      LeaseReport report = new LeaseReport(
          "n" + holder,
          random.nextInt(20) == 0 ? Math.max(1, step - 30) : step,
          spent[holder],
          before,
          random.nextInt(4) == 0 ? Math.floorMod(random.nextLong(), most / 8 + 1) : 0,
          random.nextInt(4) == 0 ? 0 : Math.floorMod(random.nextLong(), most + 1),
          1 + Math.floorMod(random.nextLong(), most / 16 + 1),
          random.nextBoolean() ? 0 : Math.floorMod(random.nextLong(), most + 1));
      Granted expected = pool.exchange(bucket, report, LEASE.toNanos() / 1000, now);
      Answer.Granted found = (Answer.Granted) answer(bucket, report, 1, now);
      String about = "step %d: %s on %s".formatted(step, report, pool);
      assertThat(found.granted()).as(about).isEqualTo(expected.granted());
      if (found.granted() >= 0) {
        assertThat(found)
            .as(about)
            .isEqualTo(new Answer.Granted(
                expected.granted(),
                expected.pool().used(),
                expected.pool().out(),
                expected.waitMicros(),
                expected.holders(),
                expected.before()));
      }
      pool = expected.pool();
    }
  }

  @Test
  void aFloodOfSmallCostsDoesNotStarveALargeOne() {
    Bucket bucket = new Bucket("flooded", Scope.CLUSTER, 200_000, 1000);
    long large = 120 * bucket.unitsPerOperation();
    LeaseRace.Result result = new LeaseRace(bucket, large, (report, now) -> {
          Answer.Granted granted = (Answer.Granted) answer(bucket, report, 1, now);
          return new LeaseRace.Answer(granted.granted(), granted.waitMicros());
        })
        .run(4_000_000_000_000_000L, 10);
    assertThat(result.larges()).isGreaterThanOrEqualTo(7);
    assertThat(result.smallUnits() / bucket.unitsPerOperation()).isGreaterThanOrEqualTo(1000);
  }

  @Test
  void anOlderPolicyIsAnsweredAsStale() {
    Bucket bucket = new Bucket("stale", Scope.CLUSTER, 1000, 1000);
    connections.sync().hset(RedisKeys.POLICY, "revision", "7");
    LeaseReport report = new LeaseReport("n", 1, 0, 0, 0, 10, 1, 0);
    assertThat(answer(bucket, report, 6, 1)).isEqualTo(new Answer.Stale(7));
    assertThat(answer(bucket, report, 7, 1)).isInstanceOf(Answer.Granted.class);
    connections.sync().del(RedisKeys.POLICY);
  }

  @Test
  void anUnusedPoolExpires() {
    Bucket bucket = new Bucket("expiring", Scope.CLUSTER, 1000, 500);
    RedisLeases leases = new RedisLeases(connections);
    leases
        .exchange(pool(bucket), new LeaseReport("n", 1, 0, 0, 0, 10, 1, 0), 1, LEASE)
        .toCompletableFuture()
        .join();
    assertThat(connections.sync().pttl(pool(bucket).key())).isBetween(600L, 1701L);
  }

  @Test
  void aPoolExpiresByTheClockThatItsLeasesHave() {
    Bucket bucket = new Bucket("ahead", Scope.CLUSTER, 1000, 500);
    LeaseReport report = new LeaseReport("n", 1, 0, 0, 0, 10, 1, 0);
    assertThat(answer(bucket, report, 1, new ManualClock().getAsLong()))
        .isInstanceOf(Answer.Granted.class);
    assertThat(connections.sync().pttl(pool(bucket).key())).isGreaterThan(60_000);
  }

  private static Pool pool(Bucket bucket) {
    return new Pool(bucket, "acme", "key-1");
  }

  private static Answer answer(Bucket bucket, LeaseReport report, long revision, long now) {
    return new RedisLeases(connections, StoreClock.of(() -> now))
        .exchange(pool(bucket), report, revision, LEASE)
        .toCompletableFuture()
        .join();
  }
}
