package io.weir.state.redis;

import io.weir.core.bucket.Bucket;
import io.weir.core.lease.Lease;
import io.weir.core.lease.LeaseReport;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.inmemory.LeasePool;
import io.weir.state.assignment.RedisAssignments;
import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.RedisHolds;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.lease.Pool;
import io.weir.state.lease.RedisLeases;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.KindScenarioRun.Stores;
import io.weir.testkit.ManualClock;
import io.weir.testkit.judge.JudgedAssignments;
import io.weir.testkit.judge.JudgedHistory;
import io.weir.testkit.judge.JudgedLeases;
import io.weir.testkit.judge.JudgedLeases.Answer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Judged histories of the scripts, most beside the model: both answers of each step must be equal. */
final class JudgedRuns {
  private static final int STEPS = 400;

  private final RedisConnections redis;

  JudgedRuns(RedisConnections redis) {
    this.redis = redis;
  }

  /** Plays the history of requests of this seed; returns how many tickets were shown in time. */
  long requests(long seed) {
    ManualClock clock = new ManualClock();
    return JudgedHistory.ofPlain(seed, clock, new Nodes(redis, clock))
        .run(STEPS)
        .ticketsInTime();
  }

  /** The same with overflow, prices and partial grants; returns how many charges were granted a part. */
  long mixed(long seed) {
    ManualClock clock = new ManualClock();
    return JudgedHistory.ofMixed(seed, clock, new Nodes(redis, clock))
        .run(STEPS)
        .parts();
  }

  /**
   * The same with charges that are decided as one, refunds and debts, on the scripts alone; returns how many tickets were
   * shown in time.
   */
  long joint(long seed) {
    ManualClock clock = new ManualClock();
    ScriptNodes nodes = new ScriptNodes(redis, clock);
    return JudgedHistory.ofJoint(seed, clock, nodes, nodes).run(STEPS).ticketsInTime();
  }

  /** The same with overflow, prices and partial grants, too. */
  long mixedJoint(long seed) {
    ManualClock clock = new ManualClock();
    ScriptNodes nodes = new ScriptNodes(redis, clock);
    return JudgedHistory.ofMixedJoint(seed, clock, nodes, nodes).run(STEPS).parts();
  }

  /** Plays the history of leases of this seed. */
  void leases(long seed) {
    redis.sync().flushall();
    ManualClock clock = new ManualClock();
    new JudgedLeases(seed, clock, List.of(new ModelPool(clock), ofScripts(clock))).run(STEPS);
  }

  /** Plays the history of assignments of this seed, on the scripts alone. */
  void assignments(long seed) {
    redis.sync().flushall();
    AtomicLong clock = new AtomicLong();
    RedisAssignments scripts = new RedisAssignments(redis, StoreClock.of(clock::get));
    new JudgedAssignments(seed, (limit, report, now) -> {
          clock.set(now);
          return scripts
              .report("acme", "k1", limit, report)
              .toCompletableFuture()
              .join();
        })
        .run();
  }

  // A node that starts remembers nothing of what was answered before.
  private static final class Nodes implements JudgedHistory.Cluster {
    private final RedisConnections redis;
    private final ManualClock clock;
    private InMemoryBucketStore model;

    Nodes(RedisConnections redis, ManualClock clock) {
      this.redis = redis;
      this.clock = clock;
      this.model = new InMemoryBucketStore(clock);
    }

    @Override
    public List<Stores> start(boolean keepsState) {
      if (!keepsState) {
        redis.sync().flushall();
        model = new InMemoryBucketStore(clock);
      }
      Stores node = new Stores(
          RedisBucketStore.rehearsing(redis, clock), new RedisHolds(redis, StoreClock.of(clock)));
      return List.of(new Stores(model, model), node);
    }
  }

  private static final class ModelPool implements JudgedLeases.Pool {
    private final ManualClock clock;
    private Optional<LeasePool> pool = Optional.empty();

    ModelPool(ManualClock clock) {
      this.clock = clock;
    }

    @Override
    public Answer exchange(Bucket bucket, long revision, LeaseReport report) {
      LeasePool.Granted granted = pool.orElseGet(() -> LeasePool.empty(bucket))
          .exchange(bucket, report, Lease.LASTS.toNanos() / 1000, clock.getAsLong());
      LeasePool after = granted.pool();
      pool = Optional.of(after);
      return granted.granted() < 0
          ? Answer.LATE
          : new Answer(
              granted.granted(),
              after.used(),
              after.out(),
              granted.waitMicros(),
              granted.holders(),
              granted.before());
    }
  }

  private JudgedLeases.Pool ofScripts(ManualClock clock) {
    RedisLeases leases = new RedisLeases(redis, StoreClock.of(clock));
    return (bucket, revision, report) -> {
      redis.sync().hset(RedisKeys.POLICY, "revision", Long.toString(revision));
      return answer(leases, bucket, revision, report);
    };
  }

  private static Answer answer(
      RedisLeases leases, Bucket bucket, long revision, LeaseReport report) {
    RedisLeases.Answer.Granted granted = (RedisLeases.Answer.Granted) leases
        .exchange(new Pool(bucket, "acme", "k1"), report, revision, Lease.LASTS)
        .toCompletableFuture()
        .join();
    return granted.granted() < 0
        ? Answer.LATE
        : new Answer(
            granted.granted(),
            granted.used(),
            granted.out(),
            granted.waitMicros(),
            granted.holders(),
            granted.before());
  }
}
