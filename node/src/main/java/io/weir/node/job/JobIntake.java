package io.weir.node.job;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.decision.Decision;
import io.weir.job.Eta;
import io.weir.job.Job;
import io.weir.job.JobOwner;
import io.weir.job.JobParameter;
import io.weir.job.JobRule;
import io.weir.job.JobSubmission;
import io.weir.job.SeenJob;
import io.weir.job.SubmittedJob;
import io.weir.node.admission.Admission;
import io.weir.node.admission.Asked;
import io.weir.node.admission.Ruling;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.answer.Tickets;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Share;
import io.weir.node.intake.EarlyAnswer;
import io.weir.node.intake.Upload;
import io.weir.node.metrics.JobMeters;
import io.weir.state.redis.RedisJobs;
import io.weir.throttle.StoreUnavailableException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Accepts jobs: whoever asks for the same again hears of the same job, a full queue says when there is a place, and only
 * what is taken costs the caller's limits. Mutable; owned by one event loop.
 */
public final class JobIntake {
  private static final String IDEMPOTENCY_KEY = "Idempotency-Key";
  private static final int MAX_KEY = 255;
  private static final int MAX_BYTES_HERE = 32 << 10;
  private static final ProblemDetails KEY_TOO_LONG = ProblemDetails.of(
      400, "idempotency_key_invalid", "Idempotency-Key: longer than 255 characters");
  private static final ProblemDetails OTHER = ProblemDetails.of(
      422, "idempotency_key_reused", "Something else was asked with this Idempotency-Key");
  private static final ProblemDetails FULL =
      ProblemDetails.of(429, "job_queue_full", "The queue of this operation is full");

  private static final ProblemDetails FULL_OF_KEY = ProblemDetails.of(
      429, "job_queue_of_key", "This API key has as many jobs that are not done as it may");
  private static final ProblemDetails FULL_OF_TENANT = ProblemDetails.of(
      429, "job_queue_of_tenant", "This tenant has as many jobs that are not done as it may");

  private final Upload uploads;
  private final Vertx vertx;
  private final Context context;
  private final Admission admission;
  private final RedisJobs store;
  private final Bulkhead memory;
  private final JobMeters meters;
  private final Consumer<String> wake;
  private final JobBudget budget;

  /**
   * An intake for one event loop.
   *
   * @param memory bytes of bodies
   * @param wake is told the operation of each job that is taken
   * @param budget of questions about jobs: what is there already costs no limit
   */
  public JobIntake(
      Vertx vertx,
      Admission admission,
      RedisJobs store,
      Bulkhead memory,
      JobMeters meters,
      Consumer<String> wake,
      JobBudget budget) {
    this.vertx = vertx;
    this.uploads = new Upload(vertx);
    this.context = vertx.getOrCreateContext();
    this.admission = admission;
    this.store = store;
    this.memory = memory;
    this.meters = meters;
    this.wake = wake;
    this.budget = budget;
  }

  /** Takes a request as a job, and answers it. */
  public Future<Void> submit(HttpServerRequest request, Asked asked, JobRule rule) {
    Optional<String> key = Optional.ofNullable(request.getHeader(IDEMPOTENCY_KEY));
    if (key.filter(text -> text.length() > MAX_KEY).isPresent()) {
      throw new RefusedException(KEY_TOO_LONG);
    }
    budget.require(asked.subject());
    long maxBytes = rule.value(JobParameter.MAX_BODY_BYTES);
    Upload.requireLength(request, maxBytes);
    Share bytes = memory.take(asked.subject());
    return uploads
        .whole(request, maxBytes, bytes)
        .compose(body -> prepare(asked, rule, key, body))
        .compose(wish -> submit(request, asked, rule, wish))
        .onComplete(done -> bytes.free());
  }

  // A long body takes longer to look through than an event loop may be held.
  private Future<Wish> prepare(Asked asked, JobRule rule, Optional<String> key, Buffer body) {
    return body.length() > MAX_BYTES_HERE
        ? vertx.executeBlocking(() -> wish(asked, rule, key, body), false)
        : Future.succeededFuture(wish(asked, rule, key, body));
  }

  private static Wish wish(Asked asked, JobRule rule, Optional<String> key, Buffer body) {
    return new Wish(
        JobRequest.of(asked, rule, body).submission(asked, key),
        Admission.cost(asked, Optional.of(body)));
  }

  private record Wish(JobSubmission submission, long cost) {}

  private Future<Void> submit(HttpServerRequest request, Asked asked, JobRule rule, Wish wish) {
    return ask(store.see(rule, wish.submission()))
        .compose(seen -> seen instanceof SubmittedJob.WouldBeTaken
            ? admit(request, asked, rule, wish)
            : answer(request, rule, seen));
  }

  private Future<Void> admit(HttpServerRequest request, Asked asked, JobRule rule, Wish wish) {
    return admission
        .admit(context, asked, wish.cost(), Tickets.in(request.headers(), 0))
        .compose(ruling -> ruling.fold(
            admitted -> take(request, asked, rule, wish, admitted),
            denied -> reject(request, denied.decision(), problem(asked, denied.decision())),
            never -> reject(request, never.decision(), DecisionAnswers.problem(never.decision())),
            refused -> EarlyAnswer.send(vertx, request, refused.problem())));
  }

  // What a request holds it holds until it is answered: a permit is not one of the job's.
  private Future<Void> take(
      HttpServerRequest request, Asked asked, JobRule rule, Wish wish, Ruling.Admitted admitted) {
    DecisionAnswers.addHeaders(admitted.decision(), request.response().headers());
    return ask(store.submit(rule, wish.submission()))
        .compose(submitted -> answer(request, rule, submitted))
        .onComplete(done -> {
          admitted.alone().ifPresent(admission::end);
          admitted.held().ifPresent(held -> {
            Future<Void> unused =
                admission.end(asked, wish.cost(), held, OptionalLong.empty(), done.succeeded());
          });
        });
  }

  private Future<Void> answer(HttpServerRequest request, JobRule rule, SubmittedJob submitted) {
    if (submitted instanceof SubmittedJob.Taken taken) {
      Job job = taken.job();
      meters.submitted(job.operation(), job.etaMillis(rule));
      wake.accept(job.operation());
      return JobAnswers.submitted(request.response(), new SeenJob(job, ""), rule);
    }
    if (submitted instanceof SubmittedJob.Known known) {
      Job job = known.job();
      return job.state().isEnd()
          ? ask(store.look(job.operation(), job.id(), job.owner()))
              .compose(seen ->
                  JobAnswers.submitted(request.response(), seen.orElse(new SeenJob(job, "")), rule))
          : JobAnswers.submitted(request.response(), new SeenJob(job, ""), rule);
    }
    if (submitted instanceof SubmittedJob.Full full) {
      long seconds = Eta.clampedSeconds(rule, (full.waitMicros() + 999) / 1000);
      request.response().putHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
      ProblemDetails problem = switch (full.owner()) {
        case KEY -> FULL_OF_KEY;
        case TENANT -> FULL_OF_TENANT;
        case ALL -> FULL;
      };
      return EarlyAnswer.send(vertx, request, problem.with("retryAfterMs", seconds * 1000));
    }
    return EarlyAnswer.send(
        vertx,
        request,
        submitted instanceof SubmittedJob.NoRoom full ? noRoom(full.owner()) : OTHER);
  }

  private static ProblemDetails noRoom(JobOwner owner) {
    return switch (owner) {
      case KEY ->
        ProblemDetails.of(
            429, "job_bytes_of_key", "The jobs of this API key take all of the memory they may");
      case TENANT ->
        ProblemDetails.of(
            429, "job_bytes_of_tenant", "The jobs of this tenant take all of the memory they may");
      case ALL ->
        ProblemDetails.of(
            503, "job_bytes_in_all", "The jobs of this operation take all of the memory they may");
    };
  }

  private static ProblemDetails problem(Asked asked, Decision.Denied denied) {
    ProblemDetails problem = DecisionAnswers.problem(denied);
    return asked.denialCode().map(code -> problem.with("code", code)).orElse(problem);
  }

  private Future<Void> reject(HttpServerRequest request, Decision decision, ProblemDetails why) {
    DecisionAnswers.addHeaders(decision, request.response().headers());
    return EarlyAnswer.send(vertx, request, why);
  }

  private <T> Future<T> ask(CompletionStage<T> asked) {
    return Future.fromCompletionStage(asked, context)
        .recover(error -> Future.failedFuture(refusal(error)));
  }

  /** What is told where the shared state did not answer. */
  static Throwable refusal(Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    return cause instanceof StoreUnavailableException
        ? new RefusedException(ProblemDetails.unavailable())
        : cause;
  }
}
