package io.weir.jobs.door;

import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.weir.jobs.rule.Eta;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.work.JobResult;
import io.weir.node.answer.ProblemDetails;
import java.util.Optional;

/** Answers about jobs, for callers. */
final class JobAnswers {
  static final String PATH = "/v1/jobs/";
  static final String STATE = "Weir-Job-State";

  private JobAnswers() {}

  /** The path of a job's status. */
  static String path(Job job) {
    return PATH + job.name().operation() + "/" + job.name().id();
  }

  /**
   * The members of an answer about a job that has not ended. Clients of relayers expect one status until then.
   */
  static JsonObject body(Job job, JobRule rule) {
    JsonObject json = new JsonObject()
        .put("status", JobState.QUEUED.word())
        .put("state", job.progress().state().word())
        .put("job_id", job.name().id());
    job.ahead().position().ifPresent(position -> json.put("position", position));
    return json.put("eta_seconds", etaSeconds(job, rule))
        .put("elapsed_seconds", job.elapsedMillis() / 1000);
  }

  static long etaSeconds(Job job, JobRule rule) {
    return Eta.shownSeconds(rule, job.progress().state(), job.etaMillis(rule));
  }

  /** Answers a submission whose job has not ended. */
  static Future<Void> submitted(HttpServerResponse response, Job job, JobRule rule) {
    response.putHeader(HttpHeaders.LOCATION, path(job));
    return accepted(response, job, rule);
  }

  /** Answers a status request for a job that has not ended. */
  static Future<Void> accepted(HttpServerResponse response, Job job, JobRule rule) {
    return response
        .setStatusCode(202)
        .putHeader(HttpHeaders.RETRY_AFTER, Long.toString(etaSeconds(job, rule)))
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
        .putHeader(STATE, job.progress().state().word())
        .end(body(job, rule).toBuffer());
  }

  /** Answers with the upstream's result, or with a problem that says why there is none. */
  static Future<Void> ended(HttpServerResponse response, Job job, Optional<JobResult> result) {
    JobState state = job.progress().state();
    response.putHeader(STATE, state.word());
    if (result.filter(JobResult::isAnswer).isPresent()) {
      JobResult answer = result.get();
      response.headers().addAll(answer.headers());
      return response.setStatusCode(answer.status()).end(answer.body());
    }
    ProblemDetails problem = problem(state, result.flatMap(JobResult::reason));
    return problem.with("job_id", job.name().id()).send(response);
  }

  private static ProblemDetails problem(JobState state, Optional<String> reason) {
    return switch (state) {
      case TIMED_OUT -> ProblemDetails.of(504, "job_timed_out", "The job was not done in time");
      case CANCELLED -> ProblemDetails.of(410, "job_cancelled", "The job was cancelled");
      default ->
        ProblemDetails.of(502, "job_failed", "The job could not be done")
            .with("reason", reason.orElse("attempts_exhausted"));
    };
  }

  static ProblemDetails unknown() {
    return ProblemDetails.of(
        404, "job_unknown", "No such job of this API key, or it has ended long ago");
  }
}
