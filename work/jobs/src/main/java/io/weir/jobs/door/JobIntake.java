package io.weir.jobs.door;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.throttle.Held;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.rule.SubmittedJob;
import io.weir.jobs.store.RedisJobs;
import io.weir.jobs.work.JobMeters;
import io.weir.jobs.work.JobParts;
import io.weir.jobs.work.JobRequest;
import io.weir.node.admission.Admission;
import io.weir.node.admission.Admitted;
import io.weir.node.admission.CostedRequest;
import io.weir.node.admission.IdentifiedRequest;
import io.weir.node.admission.Refusal;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.answer.Tickets;
import io.weir.node.gateway.Diversion;
import io.weir.node.hold.Execution;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.intake.EarlyAnswer;
import io.weir.node.intake.UnpaidWork;
import io.weir.node.intake.Upload;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Accepts jobs. A repeated request is answered with the same job; a full queue answers with the time until there is a
 * place; only an accepted job is charged. Mutable; owned by one event loop.
 */
public final class JobIntake implements Diversion {
  private static final String IDEMPOTENCY_KEY = "Idempotency-Key";
  private static final int MAX_KEY = 255;
  private static final int MAX_BYTES_HERE = 32 << 10;
  private static final ProblemDetails KEY_TOO_LONG = ProblemDetails.of(
      400, "idempotency_key_invalid", "Idempotency-Key: longer than 255 characters");
  private static final long FIRST_PAUSE_MILLIS = 10;
  private static final long LONGEST_PAUSE_MILLIS = 100;
  /** By then the place of a dead node has expired. */
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(12);

  private final OneByOne oneByOne = new OneByOne();
  private final Upload uploads;
  private final Vertx vertx;
  private final Context context;
  private final Admission admission;
  private final RedisJobs store;
  private final Bulkhead memory;
  private final UnpaidWork unpaid;
  private final JobMeters meters;
  private final Consumer<String> wake;
  private final JobBudget budget;
  private final JobResults results;
  private final JobCharges charges;

  /**
   * An intake for one event loop.
   *
   * @param wake gets the operation of each accepted job
   * @param budget of calls about jobs: repeated requests are charged to no limit
   */
  public JobIntake(
      Vertx vertx, JobParts parts, Consumer<String> wake, JobBudget budget, JobResults results) {
    this.vertx = vertx;
    this.uploads = new Upload(vertx);
    this.context = vertx.getOrCreateContext();
    this.admission = parts.node().admission();
    this.store = parts.store();
    this.memory = parts.node().memory();
    this.unpaid = parts.node().unpaid();
    this.meters = parts.meters();
    this.wake = wake;
    this.budget = budget;
    this.results = results;
    this.charges = new JobCharges(vertx, store, parts.node().holds());
  }

  @Override
  public boolean takes(IdentifiedRequest asked) {
    return asked.rule().flatMap(JobRule::of).isPresent();
  }

  /** Accepts a request as a job, and answers it. */
  @Override
  public Future<Void> serve(HttpServerRequest request, IdentifiedRequest asked) {
    JobRule rule = asked.rule().flatMap(JobRule::of).orElseThrow();
    Optional<String> key = Optional.ofNullable(request.getHeader(IDEMPOTENCY_KEY));
    if (key.filter(text -> text.length() > MAX_KEY).isPresent()) {
      throw new RefusedException(KEY_TOO_LONG);
    }
    budget.require(asked.subject());
    MultiMap headers = JobRequest.headers(asked, rule);
    long maxBytes = rule.value(JobParameter.MAX_BODY_BYTES);
    Upload.requireLength(request, maxBytes);
    Supplier<Future<Void>> reading = () -> read(request, asked, rule, headers, key);
    return admission
        .foreseen(asked, Tickets.in(request.headers(), 0))
        .map(refusal -> refuseUnread(request, asked, refusal, reading))
        .orElseGet(reading);
  }

  // A request may be that of a job that exists, whatever its limits say: only a key without jobs is
  // known to be refused.
  private Future<Void> refuseUnread(
      HttpServerRequest request,
      IdentifiedRequest asked,
      Refusal refusal,
      Supplier<Future<Void>> reading) {
    return ask(store.hasJobs(
            asked.operation(), asked.subject().tenant(), asked.subject().id()))
        .compose(mayBeKnown -> mayBeKnown ? reading.get() : reject(request, refusal));
  }

  private Future<Void> read(
      HttpServerRequest request,
      IdentifiedRequest asked,
      JobRule rule,
      MultiMap headers,
      Optional<String> key) {
    UnpaidWork.Account work = unpaid.of(asked.subject());
    work.require();
    Portion bytes = memory.take(asked.subject());
    return uploads
        .whole(request, rule.value(JobParameter.MAX_BODY_BYTES), bytes)
        .compose(body -> prepare(asked, rule, headers, key, body, work))
        .compose(wish -> oneByOne.run(wish.submission().name().id(), () -> submit(request, wish)))
        .compose(Supplier::get)
        .onComplete(done -> {
          work.spend(bytes.amount());
          bytes.free();
        });
  }

  // Parsing a long body would block the event loop for too long.
  private Future<Wish> prepare(
      IdentifiedRequest asked,
      JobRule rule,
      MultiMap headers,
      Optional<String> key,
      Buffer body,
      UnpaidWork.Account work) {
    Supplier<Wish> wish = () -> new Wish(
        new CostedRequest(asked, Admission.cost(asked, Optional.of(body))),
        rule,
        JobRequest.of(asked, headers, body).submission(asked, key),
        work);
    return body.length() > MAX_BYTES_HERE
        ? vertx.executeBlocking(wish::get, false)
        : Future.succeededFuture(wish.get());
  }

  private record Wish(
      CostedRequest request, JobRule rule, JobSubmission submission, UnpaidWork.Account work) {}

  // The limits of a job are charged once, by the request that has the place; all others wait for
  // its outcome. The answer is returned as a supplier and sent later: callers may read slowly.
  private Future<Supplier<Future<Void>>> submit(HttpServerRequest request, Wish wish) {
    return submit(request, wish, FIRST_PAUSE_MILLIS, System.nanoTime());
  }

  private Future<Supplier<Future<Void>>> submit(
      HttpServerRequest request, Wish wish, long pauseMillis, long sinceNanos) {
    return ask(store.keepPlace(wish.rule(), wish.submission())).compose(found -> {
      if (found instanceof SubmittedJob.Placed place) {
        return admit(request, wish, place);
      }
      boolean isAwaited =
          found instanceof SubmittedJob.Awaited && System.nanoTime() - sinceNanos < LONGEST_NANOS;
      return isAwaited
          ? vertx
              .timer(pauseMillis, TimeUnit.MILLISECONDS)
              .compose(due -> submit(
                  request, wish, Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS), sinceNanos))
          : Future.succeededFuture(() -> answer(request, wish.rule(), found));
    });
  }

  private Future<Supplier<Future<Void>>> admit(
      HttpServerRequest request, Wish wish, SubmittedJob.Placed place) {
    return admission
        .admit(
            context,
            wish.request(),
            Tickets.in(request.headers(), 0),
            JobCharges.wish(wish.request().asked(), wish.rule()))
        .onComplete(made -> {
          if (!(made.result() instanceof Admitted)) {
            release(wish, place);
          }
        })
        .compose(ruling -> ruling.fold(
            admitted -> take(request, wish, place, admitted), refusal -> reject(request, refusal)));
  }

  // If the release fails, the place expires by itself.
  private void release(Wish wish, SubmittedJob.Placed place) {
    CompletionStage<Void> unused = store.release(wish.submission(), place);
  }

  private Future<Supplier<Future<Void>>> take(
      HttpServerRequest request, Wish wish, SubmittedJob.Placed place, Admitted admitted) {
    wish.work().payAll();
    DecisionAnswers.addHeaders(admitted.decision(), request.response().headers());
    JobSubmission submission =
        wish.submission().charged(admitted.held().filter(Held::reserves).map(Held::id));
    return ask(store.submit(wish.rule(), submission, place))
        .onFailure(error -> release(wish, place))
        .onComplete(done -> {
          if (submission.charge().isPresent()) {
            charges.submitted(submission, place, admitted.held().orElseThrow(), done);
          } else {
            end(admitted, done);
          }
        })
        .map(submitted -> () -> answer(request, wish.rule(), submitted));
  }

  private void end(Admitted admitted, AsyncResult<SubmittedJob> done) {
    boolean isRefused = done.succeeded() && !(done.result() instanceof SubmittedJob.Taken);
    admission.end(
        admitted, OptionalLong.empty(), isRefused ? Execution.NOT_SENT : Execution.UNKNOWN);
  }

  private Future<Void> answer(HttpServerRequest request, JobRule rule, SubmittedJob submitted) {
    if (submitted instanceof SubmittedJob.Taken taken) {
      Job job = taken.job();
      meters.submitted(job.name().operation(), job.etaMillis(rule));
      wake.accept(job.name().operation());
      return JobAnswers.submitted(request.response(), job, rule);
    }
    if (submitted instanceof SubmittedJob.Known known) {
      Job job = known.job();
      return job.progress().state().isEnd()
          ? ask(store.see(job.name().operation(), job.name().id(), job.name().owner()))
              .compose(seen -> results.answer(request.response(), seen.orElse(job)))
          : JobAnswers.submitted(request.response(), job, rule);
    }
    ProblemDetails refusal = JobRefusals.of(submitted, rule);
    refusal.addWait(request.response().headers());
    return EarlyAnswer.send(vertx, request, refusal);
  }

  private static <T> Future<T> reject(HttpServerRequest request, Refusal refusal) {
    return Future.failedFuture(refusal.answer(request.response().headers()));
  }

  private <T> Future<T> ask(CompletionStage<T> asked) {
    return Future.fromCompletionStage(asked, context);
  }
}
