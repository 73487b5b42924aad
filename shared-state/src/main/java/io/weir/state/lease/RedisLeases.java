package io.weir.state.lease;

import io.weir.core.bucket.Bucket;
import io.weir.core.lease.LeaseReport;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.Scripts;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.LuaScript;
import io.weir.state.wire.Statuses;
import io.weir.state.wire.Statuses.Lease;
import io.weir.state.wire.StoreClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The shared pools of leases, in Redis. Safe for use by many threads; never blocks. */
public final class RedisLeases {
  private final RedisConnections redis;
  private final LuaScript script;
  private final boolean areNeeded;
  private final StoreClock clock;

  /** @param redis the connections to the pools */
  public RedisLeases(RedisConnections redis) {
    this(redis, StoreClock.REDIS);
  }

  /** @param clock Redis's own but to rehearse and in tests */
  public RedisLeases(RedisConnections redis, StoreClock clock) {
    this.redis = redis;
    this.script = LuaLibrary.limiter(clock.modules()).script("lease");
    this.clock = clock;
    this.areNeeded = redis.parts() > 1;
  }

  /** The answer to a report. */
  public sealed interface Answer {
    /**
     * The report was accepted.
     *
     * @param granted units, in addition to those kept; -1 if the pool has a later report
     * @param used units, at that instant
     * @param out units that all holders have
     * @param waitMicros if less than the least or the earmark was granted, the time until there may be as many
     * @param holders how many have units, asked in vain within the length of a lease, or have an earmark, this one
     *     included
     * @param before how many of these are before this one, by their names
     */
    record Granted(long granted, long used, long out, long waitMicros, long holders, long before)
        implements Answer {}

    /** A newer policy was published; nothing has changed. */
    record Stale(long revision) implements Answer {}
  }

  /** The part of the shared state with a pool. */
  int partOf(Pool pool) {
    return areNeeded ? pool.partition() : 0;
  }

  /** The number of parts of the shared state. */
  int parts() {
    return redis.parts();
  }

  /** The longest wait for an answer. */
  public Duration timeout() {
    return redis.commandTimeout();
  }

  /** Whether every bucket of scope {@code cluster} has to be leased. */
  public boolean areNeeded() {
    return areNeeded;
  }

  /** Sends a report; failures are {@link io.weir.core.throttle.StoreUnavailableException}. */
  public CompletionStage<Answer> exchange(
      Pool pool, LeaseReport report, long revision, Duration lease) {
    Bucket bucket = pool.bucket();
    List<String> arguments = new ArrayList<>(List.of(
        report.holder(),
        Long.toString(report.sequence()),
        Long.toString(revision),
        Long.toString(bucket.unitsPerMicro()),
        Long.toString(bucket.capacityUnits()),
        Long.toString(report.spent()),
        Long.toString(report.acknowledged()),
        Long.toString(report.keeps()),
        Long.toString(report.wants()),
        Long.toString(report.least()),
        Long.toString(report.earmark()),
        Long.toString(TimeUnit.NANOSECONDS.toMicros(lease.toNanos()))));
    arguments.addAll(clock.arguments().get());
    List<String> keys = List.of(pool.key(), redis.policyOf(partOf(pool)));
    return Scripts.run(redis, script, keys, arguments).thenApply(RedisLeases::answer);
  }

  /** Runs a task later, on a thread that must not be blocked. */
  public ScheduledFuture<?> later(Runnable what, Duration after) {
    return redis.later(what, after);
  }

  private static Answer answer(List<Object> numbers) {
    return Statuses.of(Lease.class, numbers.get(0)) == Lease.STALE
        ? new Answer.Stale(number(numbers, 1))
        : new Answer.Granted(
            number(numbers, 2),
            number(numbers, 3),
            number(numbers, 4),
            number(numbers, 5),
            number(numbers, 6),
            number(numbers, 7));
  }

  private static long number(List<Object> numbers, int index) {
    return (Long) numbers.get(index);
  }
}
