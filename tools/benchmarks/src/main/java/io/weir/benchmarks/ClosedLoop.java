package io.weir.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** A closed loop: a fixed number of questions is in flight, and each answer sends the next. */
final class ClosedLoop {
  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final int SIGNIFICANT_DIGITS = 3;
  private static final int PREPARED_TOGETHER = 500;

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
    prepare(contender);
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
        run.unlike.sum());
  }

  private void prepare(Contender contender) {
    for (int first = 0; first < subjects; first += PREPARED_TOGETHER) {
      CompletableFuture<?>[] some = IntStream.range(
              first, Math.min(subjects, first + PREPARED_TOGETHER))
          .mapToObj(subject -> contender.prepare(subject).toCompletableFuture())
          .toArray(CompletableFuture[]::new);
      CompletableFuture.allOf(some).join();
    }
  }

  private Run run(Contender contender, Duration duration) throws InterruptedException {
    Run run = new Run(contender);
    long began = System.nanoTime();
    Thread first = new Thread(() -> {
      for (int i = 0; i < inFlight; i++) {
        run.ask();
      }
    });
    first.start();
    run.stopped(duration);
    first.join();
    run.seconds = (System.nanoTime() - began) / 1e9;
    return run;
  }

  /** One run. Its questions are sent and counted on the contender's threads. */
  private final class Run {
    private final Contender contender;
    private final Histogram nanos = new ConcurrentHistogram(SIGNIFICANT_DIGITS);
    private final LongAdder unlike = new LongAdder();
    private final AtomicBoolean over = new AtomicBoolean();
    private final CountDownLatch left = new CountDownLatch(inFlight);
    private double seconds;

    Run(Contender contender) {
      this.contender = contender;
    }

    // After an immediate answer the next question is sent in a loop, not by recursion.
    void ask() {
      while (!over.get()) {
        long asked = System.nanoTime();
        int subject = subjects == 1 ? 0 : ThreadLocalRandom.current().nextInt(subjects);
        CompletionStage<Boolean> stage = contender.ask(subject);
        CompletableFuture<Boolean> answer = stage.toCompletableFuture();
        if (!answer.isDone()) {
          stage.whenComplete((admitted, error) -> {
            count(asked, error == null && admitted == contender.admits());
            ask();
          });
          return;
        }
        count(asked, !answer.isCompletedExceptionally() && answer.join() == contender.admits());
      }
      left.countDown();
    }

    private void count(long asked, boolean isAsExpected) {
      nanos.recordValue(System.nanoTime() - asked);
      if (!isAsExpected) {
        unlike.increment();
      }
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
