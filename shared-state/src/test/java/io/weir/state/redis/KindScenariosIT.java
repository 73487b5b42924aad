package io.weir.state.redis;

import io.weir.core.bucket.Scope;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.RedisHolds;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.Histories;
import io.weir.testkit.HistoryRun;
import io.weir.testkit.KindScenario;
import io.weir.testkit.KindScenarioRun;
import io.weir.testkit.KindScenarioRun.Stores;
import io.weir.testkit.ManualClock;
import io.weir.testkit.Scenario;
import io.weir.testkit.Scenario.StepType;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Memory and Redis agree after every step of generated histories with all kinds of demand.
 * {@code -Dweir.scenario.steps} sets the number of steps of each.
 */
@ExtendWith(RedisFixture.class)
@Tag("engine")
final class KindScenariosIT {
  private static final int SEEDS =
      Integer.getInteger("weir.scenario.seeds", Histories.count(2, 12));
  private static final int STEPS = Integer.getInteger("weir.scenario.steps", 2000);
  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  private static KindScenarioRun run(long seed, int steps) {
    connections.sync().flushall();
    ManualClock clock = new ManualClock();
    InMemoryBucketStore memory = new InMemoryBucketStore(clock);
    KindScenarioRun run = new KindScenarioRun(
        new KindScenario(
            new Scenario(seed, seed % 4 == 0 ? StepType.RATES : StepType.MIXED),
            List.of(Scope.values())),
        clock,
        new Stores(memory, memory),
        new Stores(
            RedisBucketStore.rehearsing(connections, clock),
            new RedisHolds(connections, StoreClock.of(clock))),
        connections.links().get(0).eventLoop());
    return run.run(steps);
  }

  // A charge that accepts a part is looked at before it is decided: the look must not make the
  // decision see nobody who waits.
  @Test
  void aLookChangesNothingForTheNextOne() {
    run(5011, 120);
  }

  // A bucket that counts requests has room for one, whose units are not taken twice.
  @Test
  void aPartOfACostIsOneRequest() {
    run(342261676, 80);
  }

  // A bucket of requests that cost millions of operations expects more strangers than 64 bits count
  // in its units.
  @Test
  void noBinHasRoomForACrowdBeyondAllNumbers() {
    run(252624661, 60);
  }

  // A quota denies, after a place was claimed in the same call; and before the clock is set back.
  @ParameterizedTest
  @CsvSource({"262144002, 1700", "31337047, 750"})
  void aDenialCountsNothingForOthersOfItsCall(long seed, int steps) {
    run(seed, steps);
  }

  @Test
  void memoryAndRedisAgreeAfterEveryStep() {
    Map<String, Long> seen = new TreeMap<>();
    long first = Histories.firstSeed();
    for (long seed = first; seed < first + SEEDS; seed++) {
      run(seed, STEPS).seen().forEach((what, times) -> seen.merge(what, times, Long::sum));
    }
    System.out.println("KindScenariosIT: " + seen);
    HistoryRun.requireInAll(
        seen,
        "Allowed",
        "Denied",
        "NeverAllowed",
        "Stale",
        "KEPT",
        "made",
        "overflow",
        "congested",
        "full q0",
        "full p0",
        "granted all",
        "granted part",
        "granted least",
        "granted nothing",
        "Renew [true]",
        "Renew [false]");
  }
}
