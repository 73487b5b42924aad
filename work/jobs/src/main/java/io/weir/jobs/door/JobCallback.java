package io.weir.jobs.door;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.OperationRule;
import io.weir.core.throttle.Ending;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.store.RedisJobs;
import io.weir.jobs.work.JobEnding;
import io.weir.jobs.work.JobEnds;
import io.weir.jobs.work.JobMeters;
import io.weir.jobs.work.JobParts;
import io.weir.jobs.work.JobResult;
import io.weir.jobs.work.JobTokens;
import io.weir.jobs.work.JobUpstream;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.KeyHeaders;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.intake.Upload;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Accepts results that the upstream posts itself, with the token of the job's run. Owned by one event loop. */
final class JobCallback {
  private static final String UPSTREAM = "(upstream)";
  private static final String STATUS = "Weir-Job-Status";
  private static final ProblemDetails TOKEN_INVALID = ProblemDetails.of(
      401, "job_token_invalid", "The result of a job needs its token as bearer token");
  private static final ProblemDetails STATUS_INVALID = ProblemDetails.badRequest(
      "job_status_invalid", List.of("Weir-Job-Status: (expected: a status from 200 to 599)"));

  private static final ProblemDetails HEADERS_TOO_LONG = ProblemDetails.of(
      431, "job_headers_too_long", "The headers that are kept of the result are too long");

  private final Context context;
  private final Upload uploads;
  private final WorkerExecutor encoders;
  private final RedisJobs store;
  private final JobTokens tokens;
  private final Bulkhead memory;
  private final JobMeters meters;

  JobCallback(Vertx vertx, JobParts parts) {
    this.context = vertx.getOrCreateContext();
    this.uploads = new Upload(vertx);
    this.encoders =
        vertx.createSharedWorkerExecutor(JobUpstream.ENCODERS, JobUpstream.MAX_ENCODERS);
    this.store = parts.store();
    this.tokens = parts.tokens();
    this.memory = parts.node().memory();
    this.meters = parts.meters();
  }

  /** Stores the body of a request as the result of a job. */
  Future<Void> bring(HttpServerRequest request, OperationRule operation, String id) {
    JobRule rule = JobRule.of(operation).orElse(JobRule.DEFAULT);
    OptionalLong run = KeyHeaders.bearer(request.headers())
        .map(token -> tokens.run(token, operation.name(), id))
        .orElse(OptionalLong.empty());
    if (run.isEmpty() || !rule.protocol().takesCallbacks()) {
      throw new RefusedException(TOKEN_INVALID);
    }
    int status = status(request);
    long maxBytes = rule.value(JobParameter.MAX_RESULT_BYTES);
    Upload.requireLength(request, maxBytes);
    Portion bytes = memory.take(UPSTREAM, UPSTREAM);
    return uploads
        .whole(request, maxBytes, bytes)
        .compose(
            body -> keep(request, new Awaited(operation, id, rule, run.getAsLong()), status, body))
        .onComplete(kept -> bytes.free());
  }

  private record Awaited(OperationRule operation, String id, JobRule rule, long run) {}

  private Future<Void> keep(HttpServerRequest request, Awaited job, int status, Buffer body) {
    JobResult result = JobResult.answer(status, request.headers(), body)
        .orElseThrow(() -> new RefusedException(HEADERS_TOO_LONG));
    return encoders
        .executeBlocking(() -> end(job, result), false)
        .compose(end -> Future.fromCompletionStage(
            store.move(job.operation().name(), job.rule(), job.id(), "", job.run(), end), context))
        .compose(moved -> {
          if (moved.isEmpty()) {
            throw new RefusedException(JobAnswers.unknown());
          }
          if (!moved.get().isMoved()) {
            throw new RefusedException(ProblemDetails.of(
                    409, "job_not_awaited", "No result of this run of the job is awaited")
                .with("state", moved.get().job().progress().state().word()));
          }
          JobEnds.moved(meters, moved.get(), job.rule());
          return request.response().setStatusCode(204).end();
        });
  }

  private static JobMove end(Awaited job, JobResult result) {
    Optional<Ending> ending =
        JobEnding.ofResult(job.operation(), result.status(), result.headers(), result.body());
    return JobMove.to(result.state(job.rule()), result.text()).with(ending, true);
  }

  private static int status(HttpServerRequest request) {
    String text = Optional.ofNullable(request.getHeader(STATUS)).orElse("200");
    if (!text.matches("[2-5]\\d\\d")) {
      throw new RefusedException(STATUS_INVALID);
    }
    return Integer.parseInt(text);
  }
}
