package io.weir.jobs.door;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.weir.core.policy.SettleRule;
import io.weir.core.throttle.Held;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.SeenJob;
import io.weir.jobs.work.JobResult;
import io.weir.node.admission.Admission;
import io.weir.node.admission.Priced;
import io.weir.node.hold.Execution;
import io.weir.node.usage.Usage;
import io.weir.retry.AnswerStatus;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settles the charges of jobs that were accepted here, when they have ended at any node. Until then their reservations
 * are kept by this node; if it stops, they expire. Mutable; owned by one event loop.
 */
final class JobSettlement {
  private static final int FIRST_FAILED_STATUS = 400;

  private final Vertx vertx;
  private final Admission admission;
  private final JobResults results;
  private final JobWatch watch;

  JobSettlement(Vertx vertx, Admission admission, JobResults results, JobWatch watch) {
    this.vertx = vertx;
    this.admission = admission;
    this.results = results;
    this.watch = watch;
  }

  /**
   * Settles a job when it ends.
   *
   * @param held its reservation, without permits
   */
  void settleAtItsEnd(Job job, Priced priced, Held held) {
    new Open(job, priced, held).begin();
  }

  /** A job that has not ended. */
  private final class Open implements Consumer<Optional<SeenJob>> {
    private final Job job;
    private final Priced priced;
    private final Held held;
    private JobWatch.@Nullable Watcher watcher;

    Open(Job job, Priced priced, Held held) {
      this.job = job;
      this.priced = priced;
      this.held = held;
    }

    void begin() {
      watcher = watch.watch(job, this);
    }

    @Override
    public void accept(Optional<SeenJob> seen) {
      Optional<Job> now = seen.map(SeenJob::job);
      boolean isOpen =
          now.filter(known -> isThisRun(known) && !known.state().isEnd()).isPresent();
      if (!isOpen && watcher != null) {
        watch.leave(watcher);
        watcher = null;
        settle(now);
      }
    }

    private boolean isThisRun(Job seen) {
      return seen.run() == job.run();
    }

    private void settle(Optional<Job> now) {
      if (now.isEmpty()) {
        end(Execution.UNKNOWN, OptionalLong.empty()); // forgotten
      } else if (!isThisRun(now.get())) {
        end(execution(true, 0, true), OptionalLong.empty()); // only a failed job is begun anew
      } else {
        settle(now.get());
      }
    }

    private void settle(Job ended) {
      results
          .read(
              ended, result -> cost(result).onSuccess(cost -> end(execution(ended, result), cost)))
          .onFailure(error -> end(Execution.UNKNOWN, OptionalLong.empty()));
    }

    private Future<OptionalLong> cost(Optional<JobResult> result) {
      Optional<SettleRule> rule = priced.asked().settle();
      return rule.isPresent() && result.filter(JobResult::isAnswer).isPresent()
          ? vertx.executeBlocking(() -> costIn(result.get(), rule.get()), false)
          : Future.succeededFuture(OptionalLong.empty());
    }

    private void end(Execution execution, OptionalLong cost) {
      Future<Void> unused = admission.end(priced.asked(), priced.cost(), held, cost, execution);
    }
  }

  private static OptionalLong costIn(JobResult result, SettleRule rule) {
    Usage usage = new Usage(rule);
    usage.head(result.headers());
    usage.chunk(result.body());
    usage.end(MultiMap.caseInsensitiveMultiMap());
    return usage.cost();
  }

  /** How far a job came: a job without an answer may have been executed once it was sent. */
  static Execution execution(Job ended, Optional<JobResult> result) {
    int status = result.map(JobResult::lastStatus).orElse(0);
    if (ended.attempts() == 0) {
      return Execution.NOT_SENT;
    }
    return status > 0
        ? execution(!AnswerStatus.isNotExecuted(status), status, status >= FIRST_FAILED_STATUS)
        : execution(true, 0, ended.state() != JobState.CANCELLED);
  }

  private static Execution execution(boolean mayHaveRun, int status, boolean hasFailed) {
    return new Execution(mayHaveRun, status, hasFailed);
  }
}
