package io.weir.node.job;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.weir.job.Job;
import io.weir.job.JobMove;
import io.weir.job.JobParameter;
import io.weir.job.JobRule;
import io.weir.job.JobState;
import io.weir.job.JobWork;
import io.weir.node.job.JobUpstream.Answer;
import io.weir.policy.Upstream;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/**
 * What a node does with one job: it asks whether the upstream is ready, sends it, or asks for its result, until the job is
 * another's or at its end. Mutable; owned by the event loop of the worker.
 */
final class JobRun {
  private static final Set<Integer> NOT_READY = Set.of(202, 404, 409, 425, 429);
  private static final Set<Integer> TO_SEND_AGAIN = Set.of(429, 502, 503, 504);
  private static final long FIRST_WAIT_MILLIS = 200;
  private static final long LONGEST_WAIT_MILLIS = 10_000;
  private static final int MAX_DOUBLINGS = 6;
  private static final long NANOS_PER_MICRO = 1000;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long LATEST_NANOS = 50 * NANOS_PER_MILLI;
  private static final int SERVER_ERRORS = 500;

  private final Vertx vertx;
  private final JobWork work;
  private final JobRequest request;
  private final JobRule rule;
  private final Upstream upstream;
  private final JobUpstream client;
  private final Function<JobMove, Future<Boolean>> move;
  private final long dueNanos;
  private long timer = -1;
  private boolean isOver;
  private boolean isSent;

  /**
   * A run.
   *
   * @param askedNanos when the work was asked for: its delay counts from then on
   * @param move moves the job; gives whether it is so
   */
  JobRun(
      Vertx vertx,
      JobWork work,
      long askedNanos,
      JobRule rule,
      Upstream upstream,
      JobUpstream client,
      Function<JobMove, Future<Boolean>> move) {
    this.vertx = vertx;
    this.dueNanos = askedNanos + work.delayMicros() * NANOS_PER_MICRO;
    this.work = work;
    this.request = JobRequest.parse(work.request().isEmpty() ? "{}" : work.request());
    this.rule = rule;
    this.upstream = upstream;
    this.client = client;
    this.move = move;
  }

  Job job() {
    return work.job();
  }

  /** What it takes of the memory. */
  int bytes() {
    return work.request().length();
  }

  /** Whether it may be given back without the upstream having heard of it. */
  boolean isUnsent() {
    return !isSent;
  }

  void start() {
    switch (work.task()) {
      case CHECK -> check();
      case SEND -> later((dueNanos - System.nanoTime()) / NANOS_PER_MILLI, this::sendInTime);
      case ASK ->
        ask(
            job().receipt().orElse("/"),
            System.nanoTime() - job().sinceMillis() * NANOS_PER_MILLI,
            0);
    }
  }

  /** The job is another's: nothing more is done with it. */
  void stop() {
    isOver = true;
    vertx.cancelTimer(timer);
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
    if (!rule.isDual()) {
      end(JobMove.to(JobState.READY)); // the policy no longer has it checked
      return;
    }
    client.check(upstream, rule, job(), request).onComplete(answered -> {
      Answer answer = answered.result();
      boolean isReady = answer != null && (answer.status() == 200 || answer.status() == 204);
      boolean isUndecided =
          answer == null || NOT_READY.contains(answer.status()) || answer.status() >= SERVER_ERRORS;
      if (isReady) {
        end(JobMove.to(JobState.READY));
      } else if (isUndecided) {
        later(rule.value(JobParameter.READINESS_INTERVAL), this::check);
      } else {
        complete(answer);
      }
    });
  }

  // Late ones would go together with those of a later moment, and too many at once.
  private void sendInTime() {
    if (System.nanoTime() - dueNanos > LATEST_NANOS) {
      end(JobMove.unsent());
    } else {
      send();
    }
  }

  private void send() {
    isSent = true;
    client.send(upstream, rule, job(), request).onComplete(answered -> {
      Answer answer = answered.result();
      if (isOver) {
        return;
      }
      if (answer == null || TO_SEND_AGAIN.contains(answer.status())) {
        sendAgain(Optional.ofNullable(answer));
      } else if (answer.status() == 202 && answer.headers().contains(HttpHeaders.LOCATION)) {
        received(answer);
      } else {
        complete(answer);
      }
    });
  }

  // It waits here, where it holds nobody up, and then takes its turn in front of the queue.
  private void sendAgain(Optional<Answer> answer) {
    if (job().attempts() >= rule.value(JobParameter.ATTEMPTS)) {
      String reason =
          answer.map(known -> "upstream_status_" + known.status()).orElse("upstream_unreachable");
      end(JobMove.to(JobState.FAILED, JobResult.none(reason).text()));
      return;
    }
    long doubled = FIRST_WAIT_MILLIS << Math.min(MAX_DOUBLINGS, job().attempts() - 1);
    long wait = ThreadLocalRandom.current().nextLong(doubled / 2, doubled + 1);
    long told = answer.map(known -> retryAfterMillis(known.headers())).orElse(0L);
    later(Math.min(LONGEST_WAIT_MILLIS, Math.max(wait, told)), () -> end(JobMove.back()));
  }

  private void received(Answer answer) {
    String location = answer.headers().get(HttpHeaders.LOCATION);
    Optional<String> place = JobUpstream.place(upstream, request.target(), location);
    if (place.isEmpty()) {
      end(JobMove.to(JobState.FAILED, JobResult.none("receipt_elsewhere").text()));
      return;
    }
    JobMove receipt = JobMove.received(place.get());
    long told = retryAfterMillis(answer.headers());
    move.apply(receipt)
        .onSuccess(isMoved -> {
          if (isMoved) {
            ask(place.get(), System.nanoTime(), told);
          } else {
            stop();
          }
        })
        .onFailure(error -> stop());
  }

  private void ask(String place, long sinceNanos, long toldMillis) {
    long elapsed = (System.nanoTime() - sinceNanos) / NANOS_PER_MILLI;
    long wait = toldMillis > 0 ? toldMillis : rule.receiptWaitMillis(elapsed);
    later(
        wait,
        () -> client.result(upstream, rule, job(), place).onComplete(answered -> {
          Answer answer = answered.result();
          boolean isThere = answer != null
              && !NOT_READY.contains(answer.status())
              && answer.status() < SERVER_ERRORS;
          if (isThere) {
            complete(answer);
          } else {
            long told = answer == null ? 0 : retryAfterMillis(answer.headers());
            ask(place, sinceNanos, told);
          }
        }));
  }

  private void complete(Answer answer) {
    end(
        answer.isWhole()
            ? JobMove.to(
                JobState.COMPLETED,
                JobResult.answer(answer.status(), answer.headers(), answer.body())
                    .text())
            : JobMove.to(JobState.FAILED, JobResult.none("result_too_long").text()));
  }

  /** What an answer says of when to come back, in milliseconds; 0 where it says nothing. */
  private static long retryAfterMillis(MultiMap headers) {
    String text = headers.get(HttpHeaders.RETRY_AFTER);
    return text != null && text.matches("\\d{1,6}") ? Long.parseLong(text) * 1000 : 0;
  }
}
