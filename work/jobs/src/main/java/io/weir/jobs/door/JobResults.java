package io.weir.jobs.door;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpServerResponse;
import io.weir.jobs.rule.Job;
import io.weir.jobs.store.RedisJobs;
import io.weir.jobs.work.JobResult;
import io.weir.jobs.work.JobUpstream;
import io.weir.jobs.work.ResultMemory;
import io.weir.jobs.work.ResultMemory.Wait;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.Optional;

/**
 * Answers with results of jobs. The memory bounds how many are in use at a time, until their callers have read them. A
 * long result is decoded by another thread. Owned by one event loop.
 */
public final class JobResults {
  private static final int MAX_DECODED_HERE = 32 << 10;
  private static final long LONGEST_WAIT_MILLIS = 10_000;
  private static final ProblemDetails NO_MEMORY = ProblemDetails.of(
      503, "memory_exhausted", "There is no memory for more results of this caller at the moment");

  private final Vertx vertx;
  private final Context context;
  private final RedisJobs store;
  private final ResultMemory memory;
  private final WorkerExecutor decoders;

  /** @param memory of the node */
  public JobResults(Vertx vertx, RedisJobs store, ResultMemory memory) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.store = store;
    this.memory = memory;
    this.decoders =
        vertx.createSharedWorkerExecutor(JobUpstream.ENCODERS, JobUpstream.MAX_ENCODERS);
  }

  /** Answers with the result of a job that has ended. */
  Future<Void> answer(HttpServerResponse response, Job job) {
    Wait wait = memory.take(
        context, job.name().subject(), job.name().tenant(), job.counted().bytes());
    long timer = vertx.setTimer(LONGEST_WAIT_MILLIS, late -> wait.giveUp(NO_MEMORY));
    return wait.room()
        .onComplete(done -> vertx.cancelTimer(timer))
        .compose(room -> result(job)
            .compose(result -> response.closed()
                ? Future.<Void>succeededFuture()
                : JobAnswers.ended(response, job, result))
            .onComplete(sent -> room.free()));
  }

  private Future<Optional<JobResult>> result(Job job) {
    return Future.fromCompletionStage(store.result(job), context).compose(kept -> {
      String text = kept.orElseThrow(() -> new RefusedException(JobAnswers.unknown()));
      return text.length() > MAX_DECODED_HERE
          ? decoders.executeBlocking(() -> JobResult.parse(text), false)
          : Future.succeededFuture(JobResult.parse(text));
    });
  }
}
