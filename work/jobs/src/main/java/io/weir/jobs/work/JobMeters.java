package io.weir.jobs.work;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.JobQueue;
import io.weir.jobs.rule.JobState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/** The job metrics of a node. Safe for use by many threads; no method throws. */
public final class JobMeters {
  private static final JobQueue NONE = new JobQueue(0, 0, 0, 0, 0, 0);
  private static final Duration[] ETAS = LongStream.of(
          1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 2400)
      .mapToObj(Duration::ofSeconds)
      .toArray(Duration[]::new);
  private static final double[] ERRORS = {0.05, 0.1, 0.25, 0.5, 1};
  private static final double[] POLLS = {1, 2, 4, 8, 16};

  private final MeterRegistry registry;
  private final Map<String, Shown> queues = new ConcurrentHashMap<>();

  private record Shown(AtomicReference<JobQueue> last, List<Gauge> gauges) {}

  public JobMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Shows the queue of an operation, even if it is empty. */
  public void queue(String operation) {
    queues.computeIfAbsent(operation, this::shown);
  }

  /** An operation has no queue any more: its series end. */
  public void gone(String operation) {
    Shown known = queues.remove(operation);
    if (known != null) {
      known.gauges().forEach(registry::remove);
    }
  }

  private Shown shown(String operation) {
    AtomicReference<JobQueue> last = new AtomicReference<>(NONE);
    return new Shown(
        last,
        List.of(
            gauge(operation, "waiting", last, JobQueue::waiting),
            gauge(operation, "dispatch", last, JobQueue::dispatch),
            gauge(operation, "checking", last, JobQueue::checking),
            gauge(operation, "running", last, JobQueue::running)));
  }

  private Gauge gauge(
      String operation,
      String part,
      AtomicReference<JobQueue> last,
      ToDoubleFunction<JobQueue> size) {
    return Gauge.builder("throttle.jobs.queue", last, known -> size.applyAsDouble(known.get()))
        .description("Jobs of an operation, of all nodes, by where they are")
        .tag("operation", operation)
        .tag("queue", part)
        .register(registry);
  }

  /** Sets the state of a queue, unless it is gone, and counts jobs that have ended in it. */
  public void queue(String operation, ClaimedJobs claimed) {
    Shown known = queues.get(operation);
    if (known != null) {
      known.last().set(claimed.queue());
    }
    if (claimed.overdue().givenBack() > 0) {
      registry.counter("throttle.jobs.given.back", "operation", operation).increment((double)
          claimed.overdue().givenBack());
    }
    ended(operation, JobState.TIMED_OUT, claimed.overdue().timedOut());
    ended(operation, JobState.FAILED, claimed.overdue().failed());
  }

  /** A job was accepted with this eta. */
  public void submitted(String operation, long etaMillis) {
    Timer.builder("throttle.jobs.eta")
        .description("The times until jobs will be done, as computed when they came")
        .serviceLevelObjectives(ETAS)
        .tag("operation", operation)
        .register(registry)
        .record(Duration.ofMillis(etaMillis));
  }

  /** A job has left a state after this time. */
  public void left(String operation, JobState state, long micros) {
    Timer.builder("throttle.jobs.state")
        .description("How long jobs were in a state")
        .tags(Tags.of("operation", operation, "state", state.word()))
        .register(registry)
        .record(Duration.ofNanos(Math.max(0, micros) * 1000));
  }

  /** A job was completed after this time, with this eta when it was accepted. */
  public void done(String operation, long tookMillis, long etaMillis) {
    DistributionSummary.builder("throttle.jobs.eta.error")
        .description("By how much the time was off that was computed when a job came, as a share")
        .serviceLevelObjectives(ERRORS)
        .tag("operation", operation)
        .register(registry)
        .record(Math.abs(tookMillis - etaMillis) / (double) Math.max(1, tookMillis));
  }

  /** Counts jobs that have ended in a state. */
  public void ended(String operation, JobState state, long count) {
    if (count > 0) {
      registry
          .counter("throttle.jobs.ended", Tags.of("operation", operation, "state", state.word()))
          .increment((double) count);
    }
  }

  /** A caller has got the end of a job after this many status requests. */
  public void polled(String operation, long polls) {
    DistributionSummary.builder("throttle.jobs.polls")
        .description("How often callers asked for a job until they heard how it ended")
        .serviceLevelObjectives(POLLS)
        .tag("operation", operation)
        .register(registry)
        .record((double) polls);
  }
}
