package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.kind.Extras;
import io.weir.core.throttle.Ending;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A random history of charges, reservations and their ends, on a bucket of a key and often one of its tenant. After
 * each step the levels are compared with those of a replay in which each charge has its final cost from the beginning.
 * Mutable; owned by one test.
 */
final class RefundHistory {
  private static final int FULL_US = 1_000_000;

  private final long seed;
  private final Random random;
  private final KindsFixture store;
  private final List<Demand> demands;
  private final Map<Demand, ReplayedBucket> replays = new HashMap<>();
  private final List<Open> open = new ArrayList<>();
  private boolean isClockSetBack;
  private int reserved;

  private record Open(Extras extras, long cost) {
    String id() {
      return extras.hold().orElseThrow().id();
    }
  }

  RefundHistory(long seed, KindsFixture store) {
    this.seed = seed;
    this.random = new Random(seed);
    this.store = store;
    Demand own = Demand.of(bucket("own", Scope.KEY));
    this.demands = random.nextInt(3) == 0
        ? List.of(own)
        : List.of(own, Demand.of(bucket("shared", Scope.TENANT)));
    demands.forEach(
        demand -> replays.put(demand, new ReplayedBucket(demand.bucket().unitsPerMicro(), now())));
  }

  private Bucket bucket(String name, Scope scope) {
    return new Bucket(name, scope, 1_000_000L + random.nextInt(9), 100 + random.nextInt(900));
  }

  /** The same with a clock that is set back now and then. */
  RefundHistory withClockSetBack() {
    isClockSetBack = true;
    return this;
  }

  /**
   * Plays so many steps. The levels are equal if there are no more reservations than marks, else never below those of
   * the replay.
   */
  void play(int steps, int mostReserved) {
    for (int step = 0; step < steps; step++) {
      advance();
      if (!open.isEmpty() && random.nextInt(3) == 0) {
        end(open.remove(random.nextInt(open.size())));
      } else {
        charge(reserved < mostReserved && random.nextBoolean());
      }
      compare("seed %d, step %d".formatted(seed, step), mostReserved < steps);
    }
  }

  private void advance() {
    int most = List.of(1, FULL_US / 100, FULL_US / 10, FULL_US / 2).get(random.nextInt(4));
    store.clock().advance(random.nextInt(most));
    if (isClockSetBack && random.nextInt(20) == 0) {
      store.clock().advance(-random.nextInt(FULL_US));
    }
  }

  private long now() {
    return store.clock().getAsLong();
  }

  private void charge(boolean reserves) {
    long room = demands.stream()
        .mapToLong(demand -> (demand.bucket().capacityUnits() - store.usedUnits(demand))
            / demand.unitsPerOperation())
        .min()
        .orElseThrow();
    if (room <= 0) {
      return;
    }
    long cost = 1 + random.nextLong(random.nextBoolean() ? room : Math.min(room, 100));
    Open charged = new Open(store.reserving(), cost);
    assertThat(store.ask(cost, demands, reserves ? charged.extras() : Extras.NONE))
        .isInstanceOf(Allowed.class);
    replays.forEach(
        (demand, replay) -> replay.charge(charged.id(), cost * demand.unitsPerOperation(), now()));
    if (reserves) {
      reserved++;
      open.add(charged);
    }
  }

  private void end(Open ended) {
    long cost = ended.cost();
    long actual =
        List.of(0L, cost / 3, cost - 1, cost, cost + random.nextInt(9)).get(random.nextInt(5));
    store.end(
        demands,
        ended.extras(),
        random.nextBoolean() || actual > 0 ? new Ending.Settled(actual) : new Ending.Cancelled());
    replays.forEach(
        (demand, replay) -> replay.settle(ended.id(), actual * demand.unitsPerOperation(), now()));
  }

  private void compare(String where, boolean isExact) {
    replays.forEach((demand, replay) -> {
      long used = store.usedUnits(demand);
      long level = replay.level(now());
      assertThat(used).describedAs(where).isGreaterThanOrEqualTo(level);
      if (isExact) {
        assertThat(used).describedAs(where).isEqualTo(level);
      }
    });
  }
}
