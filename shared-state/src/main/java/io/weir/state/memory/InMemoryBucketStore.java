package io.weir.state.memory;

import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.bucket.LeakyBucket;
import io.weir.decision.Verdict;
import io.weir.decision.Verdict.Outcome;
import io.weir.throttle.BucketStore;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Buckets in the memory of one process: for services of one node, and the specification of every other
 * store. Mutable; safe for use by many threads, one at a time inside.
 */
public final class InMemoryBucketStore implements BucketStore {
  private static final int FIRST_SWEEP = 1024;

  private final LongSupplier clockMicros;
  private final Map<Object, State> states = new HashMap<>();
  private int sweepAt = FIRST_SWEEP;
  private long sweptRevision;

  /** @param clockMicros microseconds since any fixed instant in the past; at least 0 */
  public InMemoryBucketStore(LongSupplier clockMicros) {
    this.clockMicros = clockMicros;
  }

  @Override
  public synchronized CompletionStage<StoreAnswer> tryCharge(Charge charge) {
    Look look = look(charge);
    if (look.newestRevision > charge.revision()) {
      return CompletableFuture.completedFuture(new StoreAnswer.Stale(look.newestRevision));
    }
    Verdict verdict = charge.verdict(look.lagMicros);
    Outcome outcome = verdict.outcome(look.levels);
    long[] levels = outcome == Outcome.ALLOWED ? taken(verdict, look) : look.levels;
    commit(charge, outcome, look, levels);
    return decided(verdict, outcome, levels);
  }

  @Override
  public synchronized CompletionStage<StoreAnswer> peek(Charge charge) {
    Look look = look(charge);
    if (look.newestRevision > charge.revision()) {
      return CompletableFuture.completedFuture(new StoreAnswer.Stale(look.newestRevision));
    }
    Verdict verdict = charge.verdict(look.lagMicros);
    return decided(verdict, verdict.outcome(look.levels), look.levels);
  }

  private Look look(Charge charge) {
    long clock = clockMicros.getAsLong();
    long now = clock;
    long newest = 0;
    for (Draw draw : charge.draws()) {
      State state = state(charge, draw);
      now = Math.max(now, state.atMicros());
      newest = Math.max(newest, state.revision());
    }
    long[] levels = new long[charge.draws().size()];
    for (int i = 0; i < levels.length; i++) {
      Draw draw = charge.draws().get(i);
      levels[i] = state(charge, draw).at(now).level(draw.bucket());
    }
    return new Look(now, now - clock, newest, levels);
  }

  private static long[] taken(Verdict verdict, Look look) {
    long[] levels = look.levels.clone();
    for (int i = 0; i < levels.length; i++) {
      levels[i] += verdict.units(i);
    }
    return levels;
  }

  // A denial keeps only what a change of policy made of the buckets: a burst that shrank caps
  // what was used at this instant, and the wait counts from here.
  private void commit(Charge charge, Outcome outcome, Look look, long[] levels) {
    for (int i = 0; i < levels.length; i++) {
      Draw draw = charge.draws().get(i);
      State before = state(charge, draw);
      if (outcome == Outcome.ALLOWED || before.at(look.nowMicros).carries(draw.bucket())) {
        states.put(
            owner(charge, draw.bucket()),
            before.at(look.nowMicros).with(draw.bucket(), levels[i], charge.revision()));
      }
    }
    sweep(look.nowMicros);
  }

  private State state(Charge charge, Draw draw) {
    return states.getOrDefault(owner(charge, draw.bucket()), new State(0, sweptRevision, Map.of()));
  }

  private static Object owner(Charge charge, Bucket bucket) {
    return switch (bucket.scope()) {
      case KEY -> List.of(charge.tenant(), charge.subject());
      case TENANT -> List.of(charge.tenant());
      case CLUSTER -> List.of();
    };
  }

  private static CompletionStage<StoreAnswer> decided(
      Verdict verdict, Outcome outcome, long[] levels) {
    return CompletableFuture.completedFuture(
        new StoreAnswer.Decided(verdict.decision(outcome, levels)));
  }

  // Now and then, whenever the states have doubled: what is empty is as good as absent.
  private void sweep(long nowMicros) {
    if (states.size() >= sweepAt) {
      states.values().removeIf(state -> sweptIfEmpty(state.at(nowMicros)));
      sweepAt = Math.max(FIRST_SWEEP, states.size() * 2);
    }
  }

  private boolean sweptIfEmpty(State state) {
    if (state.buckets().isEmpty()) {
      // Forgotten with the state; an older revision must not decide for all that.
      sweptRevision = Math.max(sweptRevision, state.revision());
    }
    return state.buckets().isEmpty();
  }

  /** What a charge finds: the instant, and what is used per draw. */
  private static final class Look {
    final long nowMicros;
    final long lagMicros;
    final long newestRevision;
    final long[] levels;

    Look(long nowMicros, long lagMicros, long newestRevision, long[] levels) {
      this.nowMicros = nowMicros;
      this.lagMicros = lagMicros;
      this.newestRevision = newestRevision;
      this.levels = levels;
    }
  }

  /** The buckets of one key, tenant or cluster that are not empty, at one instant. Immutable. */
  private record State(long atMicros, long revision, Map<String, Level> buckets) {
    State at(long nowMicros) {
      Map<String, Level> drained = new HashMap<>();
      buckets.forEach((name, level) -> {
        long used =
            LeakyBucket.drained(level.usedUnits(), level.milliOpsPerSec(), nowMicros - atMicros);
        if (used > 0) {
          drained.put(name, new Level(used, level.milliOpsPerSec()));
        }
      });
      return new State(nowMicros, revision, drained);
    }

    State with(Bucket bucket, long usedUnits, long newRevision) {
      Map<String, Level> changed = new HashMap<>(buckets);
      changed.put(bucket.name(), new Level(usedUnits, bucket.milliOpsPerSec()));
      return new State(atMicros, newRevision, changed);
    }

    /** Whether what is used in the bucket was counted by another rate or burst. */
    boolean carries(Bucket bucket) {
      Level level = buckets.get(bucket.name());
      return level != null
          && (level.milliOpsPerSec() != bucket.milliOpsPerSec()
              || level.usedUnits() > bucket.capacityUnits());
    }

    long level(Bucket bucket) {
      Level level = buckets.get(bucket.name());
      return level == null
          ? 0
          : LeakyBucket.carriedOver(level.usedUnits(), level.milliOpsPerSec(), bucket);
    }
  }

  /** What is used in a bucket, and the rate it drains at. */
  private record Level(long usedUnits, long milliOpsPerSec) {}
}
