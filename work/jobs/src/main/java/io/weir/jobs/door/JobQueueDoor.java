package io.weir.jobs.door;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Nearest;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Policy;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.store.JobPages;
import io.weir.jobs.store.RedisJobs;
import io.weir.jobs.work.JobParts;
import io.weir.node.admin.OperatorAudit;
import io.weir.node.admin.OperatorWork;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.extension.NodeParts;
import io.weir.node.intake.Area;
import io.weir.node.intake.Door;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.state.audit.RedisAudit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * {@code /v1/job-queues}: the jobs of all operations, how they stand, and the end of one; for operators of the whole
 * cluster.
 */
public final class JobQueueDoor implements Door {
  private static final String PATH = "/v1/job-queues";
  private static final String ONE = PATH + "/{operation}";
  private static final Map<String, String> PATTERNS =
      Map.of("operation", "[A-Za-z0-9._-]{1,64}", "id", "[0-9a-f]{32}");
  private static final String FROM = "from";
  private static final String LIMIT = "limit";
  private static final String STATE = "state";
  private static final int MOST_OPERATIONS = 100;
  private static final int USUAL_JOBS = 50;
  private static final int MOST_JOBS = 200;
  private static final int MOST_BEFORE = 1_000_000;
  private static final ProblemDetails UNKNOWN =
      ProblemDetails.of(404, "operation_unknown", "The policy has no such operation with jobs");
  private static final ProblemDetails NO_JOB =
      ProblemDetails.of(404, "job_unknown", "There is no such job, or it has ended long ago");

  private final OperatorWork work;
  private final NodeParts node;
  private final RedisJobs store;
  private final JobCancels cancels;
  private final OperatorAudit audit;

  /** A door of one event loop. */
  public JobQueueDoor(Vertx vertx, JobParts parts) {
    this.work = new OperatorWork(vertx);
    this.node = parts.node();
    this.store = parts.store();
    this.cancels = new JobCancels(store, parts.meters());
    this.audit = new OperatorAudit(work, new RedisAudit(node.redis()));
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get(PATH, this::all),
        Route.get(ONE, this::list).withQuery(FROM, LIMIT, STATE),
        Route.get(ONE + "/{id}", this::one),
        Route.delete(ONE + "/{id}", this::cancel));
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(Area.of(PATH + "/", PATTERNS, UNKNOWN).checkedBy(node.operators()::of));
  }

  private Future<Void> all(RoutedRequest request) {
    node.operators().require(request.http(), Scope.READ);
    List<Future<JsonObject>> queues = jobs(node.policies().current().policy())
        .limit(MOST_OPERATIONS)
        .map(rule -> work.of(store.pages().heads(rule.name()))
            .map(page -> JobQueueAnswers.queue(rule, page)))
        .toList();
    return Future.all(queues)
        .compose(read -> request.answer(
            200, new JsonObject().put("queues", new JsonArray(read.<JsonObject>list()))));
  }

  private static Stream<OperationRule> jobs(Policy policy) {
    return policy.routing().rules().stream().filter(rule -> JobRule.of(rule).isPresent());
  }

  private Future<Void> list(RoutedRequest request) {
    node.operators().require(request.http(), Scope.READ);
    OperationRule rule = operation(request);
    Map<String, String> asked = QueryParameters.values(request.http(), Set.of(FROM, LIMIT, STATE));
    int from = QueryParameters.number(asked, FROM, 0, 0, MOST_BEFORE);
    int most = QueryParameters.number(asked, LIMIT, USUAL_JOBS, 1, MOST_JOBS);
    Optional<JobState> state = Optional.ofNullable(asked.get(STATE)).map(JobQueueDoor::state);
    JobPages pages = store.pages();
    return work.of(
            state.isPresent()
                ? pages.inState(rule.name(), state.get(), from, most)
                : pages.page(rule.name(), from, most))
        .compose(page -> request.answer(200, JobQueueAnswers.page(rule, from, page)));
  }

  private static JobState state(String word) {
    return JobState.of(word)
        .orElseThrow(() -> new RefusedException(ProblemDetails.badRequest(
            "query_invalid",
            List.of("state: %.40s (expected: one of %s)".formatted(word, JobState.words())))));
  }

  private Future<Void> one(RoutedRequest request) {
    node.operators().require(request.http(), Scope.READ);
    OperationRule rule = operation(request);
    return job(rule, request)
        .compose(job -> request.answer(200, JobQueueAnswers.withHistory(rule, job)));
  }

  private Future<Job> job(OperationRule rule, RoutedRequest request) {
    return work.of(store.see(rule.name(), request.parameter("id"), ""))
        .map(seen -> seen.orElseThrow(() -> new RefusedException(NO_JOB)));
  }

  private OperationRule operation(RoutedRequest request) {
    String name = request.parameter("operation");
    Policy policy = node.policies().current().policy();
    return jobs(policy)
        .filter(rule -> rule.name().equals(name))
        .findFirst()
        .orElseThrow(() -> unknown(name, policy));
  }

  private static RefusedException unknown(String name, Policy policy) {
    String expected = Nearest.to(name, JobRule.operations(policy)).orElse("an operation with jobs");
    return new RefusedException(UNKNOWN.with(
        "errors", List.of("operation: '%s' (expected: %s)".formatted(name, expected))));
  }

  private static JobRule settings(OperationRule rule) {
    return JobRule.of(rule).orElseThrow();
  }

  private Future<Void> cancel(RoutedRequest request) {
    Operator operator = node.operators().require(request.http(), Scope.KEYS);
    OperationRule rule = operation(request);
    return job(rule, request)
        .compose(job -> work.of(cancels.cancel(job, settings(rule)))
            .compose(cancelled -> audited(operator, job).map(cancelled)))
        .compose(job -> request.answer(
            200,
            new JsonObject()
                .put("state", job.progress().state().word())
                .put("id", job.name().id())));
  }

  private Future<Void> audited(Operator operator, Job job) {
    String before = new JsonObject()
        .put("state", job.progress().state().word())
        .put("tenant", job.name().tenant())
        .put("key", job.name().subject())
        .encode();
    String after = new JsonObject().put("state", JobState.CANCELLED.word()).encode();
    return audit.add(
        operator, "cancel", "job:" + job.name().operation() + "/" + job.name().id(), before, after);
  }
}
