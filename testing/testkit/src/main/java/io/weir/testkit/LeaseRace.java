package io.weir.testkit;

import io.weir.core.bucket.Bucket;
import io.weir.core.lease.Lease;
import io.weir.core.lease.LeaseReport;
import java.util.concurrent.TimeUnit;

/**
 * Two programs lease one bucket: one floods with the smallest cost and takes what it gets, the other asks for a large
 * one, waits as it is told, and asks again as soon as it was admitted. Mutable; runs once.
 */
public final class LeaseRace {
  private static final long STEP_MICROS = 1000;
  private static final long REPORT_EVERY_STEPS = 5;

  private final Bucket bucket;
  private final long largeUnits;
  private final Pool pool;
  private final Lease flood = new Lease("flood");
  private final Lease large = new Lease("large");
  private long askMicros;
  private long smallUnits;
  private int larges;
  private int asked;

  /** @param largeUnits the large cost */
  public LeaseRace(Bucket bucket, long largeUnits, Pool pool) {
    this.bucket = bucket;
    this.largeUnits = largeUnits;
    this.pool = pool;
  }

  /** The shared side. */
  @FunctionalInterface
  public interface Pool {
    /** Takes a report. */
    Answer exchange(LeaseReport report, long nowMicros);
  }

  /** The answer of the pool. */
  public record Answer(long granted, long waitMicros) {}

  /**
   * The requests that were admitted.
   *
   * @param larges how many large costs
   * @param asked how often one was asked for
   * @param smallUnits of the flood
   */
  public record Result(int larges, int asked, long smallUnits) {}

  /** Runs for some seconds of the pool's clock. */
  public Result run(long beginMicros, long seconds) {
    askMicros = beginMicros;
    long steps = TimeUnit.SECONDS.toMicros(seconds) / STEP_MICROS;
    for (long step = 0; step < steps; step++) {
      long now = beginMicros + step * STEP_MICROS;
      if (now >= askMicros) {
        askLarge(now);
      }
      if (step % REPORT_EVERY_STEPS == 0) {
        askSmall(now);
      }
    }
    return new Result(larges, asked, smallUnits);
  }

  private void askSmall(long now) {
    long one = bucket.unitsPerOperation();
    exchange(flood, bucket.capacityUnits(), one, now);
    while (flood.has(one, nanos(now))) {
      flood.settle(flood.take(one), true);
      smallUnits += one;
    }
  }

  private void askLarge(long now) {
    asked++;
    Answer answer = exchange(large, largeUnits, largeUnits, now);
    if (large.has(largeUnits, nanos(now))) {
      large.settle(large.take(largeUnits), true);
      larges++;
      askMicros = now + STEP_MICROS;
    } else {
      askMicros = now + Math.max(STEP_MICROS, answer.waitMicros());
    }
  }

  private Answer exchange(Lease lease, long wants, long least, long now) {
    LeaseReport report = lease.report(0, wants, least, least, nanos(now));
    Answer answer = pool.exchange(report, now);
    lease.granted(report, answer.granted(), nanos(now) + Lease.LASTS.toNanos(), nanos(now));
    return answer;
  }

  private static long nanos(long micros) {
    return TimeUnit.MICROSECONDS.toNanos(micros);
  }
}
