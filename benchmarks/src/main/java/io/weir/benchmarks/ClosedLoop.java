package io.weir.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** So many questions are always in flight: each answer asks the next. */
final class ClosedLoop {
  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final int SIGNIFICANT_DIGITS = 3;

  private final RedisProbe redis;
  private final int inFlight;
  private final int subjects;

  ClosedLoop(RedisProbe redis, int inFlight, int subjects) {
    this.redis = redis;
    this.inFlight = inFlight;
    this.subjects = subjects;
  }

  /** Warms a contender up, then measures it. */
  Sample measure(Contender contender, Duration warmUp, Duration duration)
      throws InterruptedException {
    run(contender, warmUp);
    double redisBefore = redis.cpuSeconds();
    long clientBefore = PROCESS.getProcessCpuTime();
    Run run = run(contender, duration);
    double clientMicros = (PROCESS.getProcessCpuTime() - clientBefore) / 1e3;
    double redisMicros = (redis.cpuSeconds() - redisBefore) * 1e6;
    double asked = Math.max(1, (double) run.nanos.getTotalCount());
    return new Sample(
        asked / run.seconds,
        run.nanos.getValueAtPercentile(50) / 1e3,
        run.nanos.getValueAtPercentile(99) / 1e3,
        clientMicros / asked,
        redisMicros / asked,
        run.failed.sum());
  }

  private Run run(Contender contender, Duration duration) throws InterruptedException {
    Run run = new Run(contender);
    long began = System.nanoTime();
    for (int i = 0; i < inFlight; i++) {
      run.ask();
    }
    run.stopped(duration);
    run.seconds = (System.nanoTime() - began) / 1e9;
    return run;
  }

  /** One run. Its questions are asked and counted on the contender's threads. */
  private final class Run {
    private final Contender contender;
    private final Histogram nanos = new ConcurrentHistogram(SIGNIFICANT_DIGITS);
    private final LongAdder failed = new LongAdder();
    private final AtomicBoolean over = new AtomicBoolean();
    private final CountDownLatch left = new CountDownLatch(inFlight);
    private double seconds;

    Run(Contender contender) {
      this.contender = contender;
    }

    void ask() {
      if (over.get()) {
        left.countDown();
        return;
      }
      long asked = System.nanoTime();
      int subject = subjects == 1 ? 0 : ThreadLocalRandom.current().nextInt(subjects);
      contender.ask(subject).whenComplete((admitted, error) -> {
        nanos.recordValue(System.nanoTime() - asked);
        if (error != null || !admitted) {
          failed.increment();
        }
        ask();
      });
    }

    void stopped(Duration duration) throws InterruptedException {
      boolean never = left.await(duration.toNanos(), TimeUnit.NANOSECONDS);
      over.set(true);
      if (never || !left.await(1, TimeUnit.MINUTES)) {
        throw new IllegalStateException(contender.name() + " did not answer");
      }
    }
  }
}
