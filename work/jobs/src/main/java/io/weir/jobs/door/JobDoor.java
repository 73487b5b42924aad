package io.weir.jobs.door;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.PolicySource;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.SeenJob;
import io.weir.jobs.store.RedisJobs;
import io.weir.jobs.work.JobMeters;
import io.weir.jobs.work.JobParts;
import io.weir.node.admission.Admission;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Area;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.intake.Door;
import io.weir.node.intake.EarlyAnswer;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The door for jobs: their submitters read the status and the result, and cancel them; the upstream may post a result.
 * A job of another key is answered as unknown. Mutable; owned by one event loop.
 */
public final class JobDoor implements Door {
  private static final Map<String, String> PATTERNS =
      Map.of("operation", "[A-Za-z0-9._-]{1,64}", "id", "[0-9a-f]{32}");
  // RFC 7240, section 4.3
  private static final Pattern WAIT =
      Pattern.compile("(?i)(?:^|,)\\s*wait\\s*=\\s*\"?(\\d{1,4})\"?\\s*(?:$|[,;])");
  private static final long LONGEST_WAIT_SECONDS = 60;
  private static final ProblemDetails TOO_MANY =
      ProblemDetails.of(429, "requests_in_flight", "Too many requests of this key are waiting");

  private final Vertx vertx;
  private final Context context;
  private final PolicySource policies;
  private final Admission admission;
  private final RedisJobs store;
  private final Bulkhead held;
  private final JobMeters meters;
  private final JobCancels cancels;
  private final JobCallback callback;
  private final JobWatch watch;
  private final JobBudget budget;
  private final JobResults results;

  /**
   * A door for one event loop.
   *
   * @param held requests that wait for their jobs
   * @param budget of calls about jobs
   */
  public JobDoor(Vertx vertx, JobParts parts, Bulkhead held, JobBudget budget, JobResults results) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.policies = parts.node().policies();
    this.admission = parts.node().admission();
    this.store = parts.store();
    this.callback = new JobCallback(vertx, parts);
    this.held = held;
    this.meters = parts.meters();
    this.cancels = new JobCancels(store, meters);
    this.budget = budget;
    this.results = results;
    this.watch = new JobWatch(vertx, store);
  }

  @Override
  public List<Route> routes() {
    String one = JobAnswers.PATH + "{operation}/{id}";
    return List.of(
        Route.get(one, this::look),
        Route.delete(one, this::cancel),
        Route.post(one + "/result", this::bring));
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(Area.of(JobAnswers.PATH, PATTERNS, JobAnswers.unknown()));
  }

  private record Named(String operation, String id) {
    static Named in(RoutedRequest request) {
      return new Named(request.parameter("operation"), request.parameter("id"));
    }
  }

  private Future<Void> bring(RoutedRequest request) {
    Named job = Named.in(request);
    return callback.bring(request.http(), operation(job.operation()), job.id());
  }

  private Future<Void> look(RoutedRequest request) {
    return authenticate(request).compose(subject -> look(request, subject));
  }

  private Future<Void> look(RoutedRequest request, Subject subject) {
    Named job = Named.in(request);
    JobRule rule = rule(job.operation());
    budget.require(subject);
    return look(request.http(), subject, job, rule)
        .onComplete(done -> EarlyAnswer.drain(vertx, request.http()));
  }

  private Future<Void> cancel(RoutedRequest request) {
    return authenticate(request).compose(subject -> cancel(request, subject));
  }

  private Future<Void> cancel(RoutedRequest request, Subject subject) {
    Named job = Named.in(request);
    JobRule rule = rule(job.operation());
    budget.require(subject);
    return cancel(subject, job, rule)
        .compose(now -> request.answer(
            200,
            new JsonObject()
                .put("state", now.progress().state().word())
                .put("job_id", now.name().id())))
        .onComplete(done -> EarlyAnswer.drain(vertx, request.http()));
  }

  // As the job was submitted.
  private Future<Subject> authenticate(RoutedRequest request) {
    return admission.authenticate(
        request.http(), policies.current().policy().rule(Named.in(request).operation()));
  }

  private JobRule rule(String name) {
    return JobRule.of(operation(name)).orElse(JobRule.DEFAULT);
  }

  private OperationRule operation(String name) {
    return policies
        .current()
        .policy()
        .rule(name)
        .filter(rule -> JobRule.of(rule).isPresent())
        .orElseThrow(() -> new RefusedException(JobAnswers.unknown()));
  }

  private Future<Void> look(HttpServerRequest request, Subject subject, Named job, JobRule rule) {
    String accepts = Optional.ofNullable(request.getHeader(HttpHeaders.ACCEPT)).orElse("");
    boolean isStream = accepts.contains("text/event-stream");
    long wait = waitSeconds(request);
    return ask(subject, job).compose(seen -> {
      if (isStream) {
        return stream(request, subject, seen, rule);
      }
      return wait > 0 && !seen.job().progress().state().isEnd()
          ? waitFor(request, subject, seen, rule, wait)
          : respond(request, seen, rule);
    });
  }

  private Future<SeenJob> ask(Subject subject, Named job) {
    return of(store.see(job.operation(), job.id(), subject.tenant() + "/" + subject.id()))
        .map(seen -> own(seen.map(known -> new SeenJob(known, "")), subject))
        .onSuccess(seen -> {
          if (seen.job().progress().state().isEnd() && seen.job().polls() > 0) {
            meters.polled(job.operation(), seen.job().polls());
          }
        });
  }

  private static SeenJob own(Optional<SeenJob> seen, Subject subject) {
    return seen.filter(known -> known.job().name().isOf(subject.tenant(), subject.id()))
        .orElseThrow(() -> new RefusedException(JobAnswers.unknown()));
  }

  private Future<Void> respond(HttpServerRequest request, SeenJob seen, JobRule rule) {
    return seen.job().progress().state().isEnd()
        ? results.answer(request.response(), seen.job())
        : JobAnswers.accepted(request.response(), seen.job(), rule);
  }

  // The wait of the header Prefer, bounded; 0 if there is none. An overlong header is ignored.
  private static long waitSeconds(HttpServerRequest request) {
    String preferred = String.join(",", request.headers().getAll("Prefer"));
    Matcher wait = WAIT.matcher(preferred.length() > 1000 ? "" : preferred);
    return wait.find() ? Math.min(LONGEST_WAIT_SECONDS, Long.parseLong(wait.group(1))) : 0;
  }

  private Future<Void> waitFor(
      HttpServerRequest request, Subject subject, SeenJob seen, JobRule rule, long seconds) {
    Optional<Portion> place = held.tryTake(subject, 1);
    if (place.isEmpty()) {
      return respond(request, seen, rule);
    }
    request.response().putHeader("Preference-Applied", "wait=" + seconds);
    Promise<SeenJob> changed = Promise.promise();
    JobWatch.Watcher watcher =
        watch.watch(seen.job(), now -> changed.tryComplete(now.orElse(seen)));
    long timer = vertx.setTimer(seconds * 1000, fired -> changed.tryComplete(seen));
    request.response().closeHandler(gone -> changed.tryFail("the caller hung up"));
    return changed
        .future()
        .onComplete(done -> {
          watch.leave(watcher);
          vertx.cancelTimer(timer);
          place.get().free();
        })
        .compose(now -> now.job().progress().state().isEnd()
            ? ask(
                subject,
                new Named(now.job().name().operation(), now.job().name().id()))
            : Future.succeededFuture(now))
        .compose(now -> respond(request, now, rule));
  }

  private Future<Void> stream(
      HttpServerRequest request, Subject subject, SeenJob seen, JobRule rule) {
    Portion place = held.tryTake(subject, 1).orElseThrow(() -> new RefusedException(TOO_MANY));
    return new JobStream(vertx, request.response(), rule)
        .run(seen, watch)
        .onComplete(done -> place.free());
  }

  private Future<Job> cancel(Subject subject, Named job, JobRule rule) {
    return of(store.see(job.operation(), job.id(), ""))
        .map(seen -> own(seen.map(known -> new SeenJob(known, "")), subject))
        .compose(seen -> of(cancels.cancel(seen.job(), rule)));
  }

  private <T> Future<T> of(CompletionStage<T> asked) {
    return Future.fromCompletionStage(asked, context);
  }
}
