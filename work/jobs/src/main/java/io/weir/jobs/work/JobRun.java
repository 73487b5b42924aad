package io.weir.jobs.work;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.weir.core.policy.Destination;
import io.weir.core.policy.OperationRule;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobTask;
import io.weir.jobs.rule.JobWork;
import io.weir.jobs.work.JobExchange.Answer;
import io.weir.jobs.work.JobLine.Claimed;
import io.weir.jobs.work.JobUpstream.JobToSend;
import io.weir.node.answer.RefusedException;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One job on this node: asks whether the upstream is ready, sends the job, or asks for its result, until the job ends
 * or another node has claimed it. Mutable; owned by the event loop of the worker.
 */
final class JobRun {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long LATEST_NANOS = 50 * NANOS_PER_MILLI;
  private static final int MAX_ENCODED_HERE = 32 << 10;

  private final Vertx vertx;
  private final Job job;
  private final JobTask task;
  private final JobRule rule;
  private final JobToSend sent;
  private final JobEnding ending;
  private final JobUpstream client;
  private final Function<JobMove, Future<Boolean>> move;
  private final long dueNanos;
  private final long begunNanos = System.nanoTime();
  private @Nullable JobRequest request;
  private JobMove whenStopped;
  private int bytes;
  private long timer = -1;
  private boolean isOver;
  private boolean isReceived;

  /**
   * A run.
   *
   * @param move stores the job's next state; returns whether it was stored
   */
  JobRun(
      Vertx vertx,
      Claimed claimed,
      OperationRule rule,
      Destination to,
      JobUpstream client,
      Function<JobMove, Future<Boolean>> move) {
    this.vertx = vertx;
    JobWork work = claimed.work();
    this.dueNanos = claimed.askedNanos() + MICROSECONDS.toNanos(work.delayMicros());
    this.job = work.job();
    this.task = work.task();
    this.bytes = work.request().length();
    this.isReceived = work.task() == JobTask.ASK;
    this.request = isReceived ? null : JobRequest.parse(work.request());
    this.whenStopped = isReceived ? JobMove.letGo() : JobMove.unsent();
    this.sent = new JobToSend(work.job(), rule, to);
    this.rule = sent.jobs();
    this.ending = new JobEnding(job, rule, this.rule, task == JobTask.CHECK);
    this.client = client;
    this.move = move;
  }

  Job job() {
    return job;
  }

  /** The memory of its request, in bytes. */
  int bytes() {
    return bytes;
  }

  /** Whether the upstream has given a receipt: then the run only asks for the result now and then. */
  boolean isReceived() {
    return isReceived;
  }

  /** The next state of the job if the node stops now; empty if the upstream is about to answer. */
  Optional<JobMove> whenStopped() {
    return isOver || whenStopped.isTo(JobState.COMPLETED)
        ? Optional.empty()
        : Optional.of(whenStopped);
  }

  void start() {
    switch (task) {
      case CHECK -> check();
      case SEND -> later((dueNanos - System.nanoTime()) / NANOS_PER_MILLI, this::sendInTime);
      case ASK ->
        ask(
            ResultAddress.parse(job().progress().receipt().orElse("/")),
            System.nanoTime() - job().sinceMillis() * NANOS_PER_MILLI,
            0);
    }
  }

  /**
   * Stops the run, for instance because another node has claimed the job: nothing more is sent. The answer to a job
   * that was sent is still stored.
   */
  void stop() {
    isOver = true;
    vertx.cancelTimer(timer);
  }

  /** Ends the run on this node. */
  void giveBack(JobMove how) {
    end(how);
  }

  private void later(long millis, Runnable then) {
    if (isOver) {
      return;
    }
    if (millis <= 0) {
      then.run();
    } else {
      timer = vertx.setTimer(millis, fired -> then.run());
    }
  }

  private void end(JobMove how) {
    if (!isOver) {
      stop();
      Future<Boolean> unused = move.apply(how);
    }
  }

  private void check() {
    JobRequest asked = request;
    if (!rule.isDual() || asked == null) {
      end(JobMove.to(JobState.READY)); // the policy no longer asks for a check
      return;
    }
    client.check(sent, asked).onComplete(answered -> {
      Answer answer = answered.result();
      boolean isReady = answer != null && (answer.status() == 200 || answer.status() == 204);
      boolean isUndecided = answer == null || answer.isUndecided();
      if (!isReady && !isUndecided && !isOver) {
        endWith(answer);
        return;
      }
      free(answer);
      if (isReady) {
        end(JobMove.to(JobState.READY));
      } else {
        checkAgain();
      }
    });
  }

  // A check that takes very long is moved to the end of the queue, as other jobs wait for its
  // place.
  private void checkAgain() {
    if (System.nanoTime() - begunNanos > JobWaits.mostOfChecking(rule) * NANOS_PER_MILLI) {
      end(JobMove.again());
    } else {
      later(rule.value(JobParameter.READINESS_INTERVAL), this::check);
    }
  }

  // A late job would be sent together with those of a later moment: too many at once.
  private void sendInTime() {
    if (System.nanoTime() - dueNanos > LATEST_NANOS) {
      end(JobMove.unsent());
    } else {
      send();
    }
  }

  private void send() {
    JobRequest asked = request;
    if (asked == null) {
      return;
    }
    whenStopped = JobMove.to(JobState.COMPLETED);
    client.send(sent, asked, ending::sent).onComplete(answered -> {
      if (answered.cause() instanceof RefusedException refused) {
        waitForTurn(refused);
        return;
      }
      Answer answer = answered.result();
      boolean isBusy = answer == null || !answer.isFinal() || answer.isPassing();
      boolean isReceipt = answer != null
          && answer.status() == 202
          && answer.headers().contains(HttpHeaders.LOCATION);
      if (!isBusy && !isReceipt) {
        // An answer counts even if another node has claimed the job by now.
        endWith(answer);
        return;
      }
      free(answer);
      if (!isOver && isBusy) {
        sendAgain(Optional.ofNullable(answer));
      } else if (!isOver) {
        received(answer);
      }
    });
  }

  // The memory is freed once the result is stored.
  private void endWith(Answer answer) {
    stop();
    Future<JobMove> made = answer.body().length() > MAX_ENCODED_HERE
        ? client.encoded(() -> ending.with(answer))
        : Future.succeededFuture(ending.with(answer));
    made.compose(move).onComplete(over -> answer.free());
  }

  private static void free(@Nullable Answer answer) {
    if (answer != null) {
      answer.free();
    }
  }

  // No provider took it: it was not sent, and the attempt does not count.
  private void waitForTurn(RefusedException refused) {
    whenStopped = JobMove.unsent();
    later(JobWaits.forTurn(refused.problem().waitMillis()), () -> end(JobMove.unsent()));
  }

  // The job waits here, where it delays no other, and then goes to the end of the queue.
  private void sendAgain(Optional<Answer> answer) {
    String reason = answer.map(Answer::reason).orElse("upstream_unreachable");
    JobMove again = ending.again(reason);
    if (job().progress().attempts() >= rule.value(JobParameter.ATTEMPTS)) {
      end(again);
      return;
    }
    whenStopped = again;
    long namedMillis = answer.map(Answer::waitMillis).orElse(0L);
    later(JobWaits.again(job().progress().attempts(), namedMillis), () -> end(again));
  }

  private void received(Answer answer) {
    Optional<ResultAddress> place = answer.receipt();
    if (place.isEmpty()) {
      end(JobMove.to(JobState.FAILED, JobResult.none("receipt_elsewhere").text()));
      return;
    }
    long namedMillis = answer.waitMillis();
    move.apply(JobMove.received(place.get().text())).onComplete(moved -> {
      if (!Boolean.TRUE.equals(moved.result())) {
        stop();
        return;
      }
      isReceived = true;
      request = null;
      bytes = 0;
      whenStopped = JobMove.letGo();
      ask(place.get(), System.nanoTime(), namedMillis);
    });
  }

  private void ask(ResultAddress place, long sinceNanos, long namedMillis) {
    long elapsed = (System.nanoTime() - sinceNanos) / NANOS_PER_MILLI;
    later(
        rule.receiptWaitMillis(elapsed, namedMillis),
        () -> client.result(sent, place).onComplete(answered -> {
          Answer answer = answered.result();
          if (answer != null && !answer.isUndecided() && !isOver) {
            endWith(answer);
          } else {
            free(answer);
            ask(place, sinceNanos, answer == null ? 0 : answer.waitMillis());
          }
        }));
  }
}
