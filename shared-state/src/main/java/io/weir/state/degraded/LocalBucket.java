package io.weir.state.degraded;

import static io.weir.core.slot.SlotLimits.LONGEST_US;
import static io.weir.core.slot.SlotLimits.TURNS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.EstimationProbe;
import io.github.bucket4j.TimeMeter;
import io.github.bucket4j.local.SynchronizationStrategy;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A node's share of one bucket: of its rate and of its burst, but at least one operation. Mutable; owned by {@link
 * LocalShare}, which uses it on one thread at a time.
 */
final class LocalBucket {
  // Bucket4j refills at most one token a nanosecond (BandwidthBuilder, refill rate). A token is one
  // unit, or as many units as keep the refill rate at half of that.
  private static final long MAX_TOKENS_PER_MICRO = 500;
  private static final long MICROS_PER_SECOND = 1_000_000;
  /** So long a cost waits that is above the share. */
  private static final long ABOVE_SHARE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Retry times go on until at least so far ahead, and for so many turns; then they begin anew. */
  private static final long FURTHEST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long REPORT_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Bucket bucket;
  private final long unitsPerToken;
  private final long rate;
  private final int nodes;
  private final long capacity;
  private final long burstNanos;
  private long lastRetryNanos;
  private long owedTokens;
  private long reportAtMost = Long.MAX_VALUE;
  private long reportAgainNanos = Long.MIN_VALUE;

  /**
   * @param usedUnits the units known to be used; if unknown, there is room for one operation
   * @param nodes the number of nodes that share the bucket
   */
  LocalBucket(Demand demand, OptionalLong usedUnits, int nodes, LongSupplier nanoClock) {
    this.nodes = nodes;
    rate = demand.bucket().unitsPerMicro();
    unitsPerToken = LeakyBucket.ceilDiv(rate, MAX_TOKENS_PER_MICRO);
    long refill = rate * MICROS_PER_SECOND / unitsPerToken;
    burstNanos = TimeUnit.MILLISECONDS.toNanos(demand.bucket().burstMillis());
    long whole = demand.bucket().capacityUnits();
    long one = tokens(demand.unitsPerOperation());
    capacity = Math.max(whole / unitsPerToken / nodes, one);
    // Other nodes may have used some since: never more than half.
    long free = usedUnits.isEmpty()
        ? one
        : Math.min((whole - usedUnits.getAsLong()) / unitsPerToken / nodes, capacity / 2);
    bucket = Bucket.builder()
        .addLimit(limit -> limit
            .capacity(capacity)
            .refillGreedy(refill, Duration.ofSeconds(nodes))
            .initialTokens(Math.max(0, Math.min(capacity, free))))
        .withCustomTimePrecision(meter(nanoClock))
        .withSynchronizationStrategy(SynchronizationStrategy.NONE)
        .build();
  }

  /** The time until it holds {@code units}, in nanoseconds; 0 if it does. */
  long waitNanos(long units) {
    long tokens = tokens(units);
    if (tokens > capacity) {
      return ABOVE_SHARE_NANOS; // more than the capacity of this node's share
    }
    EstimationProbe probe = bucket.estimateAbilityToConsume(tokens);
    return probe.canBeConsumed() ? 0 : probe.getNanosToWaitForRefill();
  }

  /** Takes units, which the bucket must hold. */
  void take(long units) {
    if (!bucket.tryConsume(tokens(units))) {
      throw new IllegalStateException("taken without a look");
    }
  }

  /** Takes units, also those that it does not hold: what drains later pays for them. */
  void takeAnyway(long units) {
    long unused = bucket.consumeIgnoringRateLimits(tokens(units));
  }

  /** Records units that were taken without the knowledge of the shared state. */
  void owe(long units) {
    owedTokens += tokens(units);
    reportAtMost = Long.MAX_VALUE;
  }

  /** Units to report to the shared state now: unknown to it, and not drained since. */
  long owedUnits(long now) {
    if (now < reportAgainNanos) {
      return 0;
    }
    owedTokens = Math.min(owedTokens, capacity - bucket.getAvailableTokens());
    return Math.min(reportAtMost, Math.max(0, owedTokens)) * unitsPerToken;
  }

  /** Records that units are reported to the shared state. */
  void reported(long units) {
    owedTokens = Math.max(0, owedTokens - tokens(units));
  }

  /**
   * Records that a report was not accepted. If it did not fit, the bucket is full, or has more overdue places than one
   * call removes: half of the units may fit.
   */
  void oweAgain(long units, long unitsPerOperation, boolean isTooMuch, long now) {
    owedTokens += tokens(units);
    reportAtMost =
        isTooMuch ? Math.max(tokens(unitsPerOperation), tokens(units) / 2) : reportAtMost;
    reportAgainNanos = now + REPORT_EVERY_NANOS;
  }

  /**
   * Gives back units that were taken and are owed.
   *
   * @param isOwed whether the units are certainly not reported to the shared state yet
   */
  void giveBack(long units, boolean isOwed) {
    giveBack(units);
    if (isOwed) {
      reported(units);
    }
  }

  /**
   * Gives back units that were taken by a charge that something else denied. Unlike the refund of a reservation, also
   * those that have drained since: that is the length of one call to the shared state, so not worth marks.
   */
  void giveBack(long units) {
    bucket.addTokens(tokens(units));
  }

  /** The retry time of a caller that has to wait; callers get different ones. */
  long retryAt(long units, long waitNanos, long now) {
    long first = now + waitNanos;
    long turn = nanosFor(units);
    long next = lastRetryNanos <= now ? first : Math.max(first, lastRetryNanos + turn);
    long furthest = Math.max(FURTHEST_NANOS, TURNS * turn);
    lastRetryNanos = next - first > furthest ? first : next;
    return lastRetryNanos;
  }

  /** How long the bucket takes to drain from full. */
  long burstNanos() {
    return burstNanos;
  }

  // The time in which this node's share drains the units.
  private long nanosFor(long units) {
    long micros = Math.min(units / rate, LONGEST_US / nodes);
    long rest = MICROSECONDS.toNanos(units % rate) / rate;
    return Math.max(1, (MICROSECONDS.toNanos(micros) + rest) * nodes);
  }

  private long tokens(long units) {
    return LeakyBucket.ceilDiv(units, unitsPerToken);
  }

  private static TimeMeter meter(LongSupplier nanoClock) {
    return new TimeMeter() {
      @Override
      public long currentTimeNanos() {
        return nanoClock.getAsLong();
      }

      @Override
      public boolean isWallClockBased() {
        return false;
      }
    };
  }
}
