package io.weir.benchmarks;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.slot.SlotMode;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Measures isolation: each attack in turn on one node, beside a caller of another tenant at 200/s on another node.
 */
final class IsolationBench {
  private static final Duration TIMEOUT = Duration.ofMillis(75);
  private static final int VICTIM_PER_SECOND = 200;
  private static final int MOST_IN_FLIGHT = 2000;
  private static final long SLOW_MICROS = 2000;
  private static final Demand WIDE = Demand.of(new Bucket("wide", Scope.KEY, 1_000_000_000, 1000));

  private final String uri;
  private final RedisProbe redis;
  private final Duration duration;
  private final PrintWriter out;

  IsolationBench(String uri, RedisProbe redis, Duration duration, PrintWriter out) {
    this.uri = uri;
    this.redis = redis;
    this.duration = duration;
    this.out = out;
  }

  /**
   * The measurements of one attack.
   *
   * @param redisCpu of one core, in percent, with the victim's share
   * @param answeredPerSecond the answers to the attacker
   * @param slowCalls calls that held Redis for longer than 2 ms
   */
  record Result(
      String attack,
      double redisCpu,
      double answeredPerSecond,
      long victimMedianMicros,
      long victimP99Micros,
      long victimUnavailable,
      long slowCalls) {}

  List<Result> measure() throws InterruptedException {
    List<Result> results = new ArrayList<>();
    out.printf(
        Locale.ROOT,
        "%n%-34s | %9s | %12s | %10s | %10s | %11s | %10s%n",
        "Attack",
        "Redis CPU",
        "answered/s",
        "victim p50",
        "victim p99",
        "unavailable",
        "calls>2 ms");
    for (Attack attack : Attack.all()) {
      Result result = measure(attack);
      results.add(result);
      out.printf(
          Locale.ROOT,
          "%-34s | %7.1f %% | %,12.0f | %7d us | %7d us | %11d | %10d%n",
          result.attack(),
          result.redisCpu(),
          result.answeredPerSecond(),
          result.victimMedianMicros(),
          result.victimP99Micros(),
          result.victimUnavailable(),
          result.slowCalls());
      out.flush();
    }
    return results;
  }

  private Result measure(Attack attack) throws InterruptedException {
    redis.clear();
    try (RedisConnections ofAttacker = RedisConnections.open(uri, TIMEOUT);
        RedisConnections ofVictim = RedisConnections.open(uri, TIMEOUT)) {
      RedisBucketStore attacked = RedisBucketStore.of(ofAttacker, () -> false);
      RedisBucketStore asked = RedisBucketStore.of(ofVictim, () -> false);
      LongAdder answered = new LongAdder();
      // Two rounds: the first warms up and fills the queue.
      run(attack, attacked, asked, new ConcurrentHistogram(3), new LongAdder(), answered);
      answered.reset();
      ConcurrentHistogram latencies = new ConcurrentHistogram(3);
      LongAdder unavailable = new LongAdder();
      redis.watchSlowCalls(SLOW_MICROS);
      double before = redis.cpuSeconds();
      long begin = System.nanoTime();
      run(attack, attacked, asked, latencies, unavailable, answered);
      double seconds = (System.nanoTime() - begin) / 1e9;
      return new Result(
          attack.name(),
          100 * (redis.cpuSeconds() - before) / seconds,
          answered.sum() / seconds,
          latencies.getValueAtPercentile(50) / 1000,
          latencies.getValueAtPercentile(99) / 1000,
          unavailable.sum(),
          redis.slowCalls());
    }
  }

  private void run(
      Attack attack,
      RedisBucketStore attacked,
      RedisBucketStore asked,
      ConcurrentHistogram latencies,
      LongAdder unavailable,
      LongAdder answered)
      throws InterruptedException {
    ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
    CountDownLatch done = new CountDownLatch(1);
    AtomicLong number = new AtomicLong();
    AtomicInteger inFlight = new AtomicInteger();
    AtomicLong victims = new AtomicLong();
    long perMilli = attack.perSecond() / 1000;
    ScheduledFuture<?> attacking = timer.scheduleAtFixedRate(
        () -> {
          for (long i = 0; i < perMilli && inFlight.get() < MOST_IN_FLIGHT; i++) {
            inFlight.incrementAndGet();
            attacked
                .tryCharge(attack.charge().apply(number.incrementAndGet()))
                .whenComplete((answer, error) -> {
                  inFlight.decrementAndGet();
                  answered.increment();
                });
          }
        },
        0,
        1,
        TimeUnit.MILLISECONDS);
    ScheduledFuture<?> asking = timer.scheduleAtFixedRate(
        () -> askAsVictim(asked, victims.incrementAndGet(), latencies, unavailable),
        0,
        1_000_000 / VICTIM_PER_SECOND,
        TimeUnit.MICROSECONDS);
    done.await(duration.toMillis(), TimeUnit.MILLISECONDS);
    attacking.cancel(false);
    asking.cancel(false);
    timer.shutdownNow();
    timer.awaitTermination(1, TimeUnit.SECONDS);
  }

  private static void askAsVictim(
      RedisBucketStore store, long number, ConcurrentHistogram latencies, LongAdder unavailable) {
    Charge charge = new Charge("victim", "k" + number % 100, 1, List.of(WIDE), 1)
        .with(Queueing.of(SlotMode.RESERVE));
    long begin = System.nanoTime();
    store.tryCharge(charge).whenComplete((answer, error) -> {
      latencies.recordValue(System.nanoTime() - begin);
      if (error != null) {
        unavailable.increment();
      }
    });
  }
}
