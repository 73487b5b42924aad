package io.weir.node.reservation;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.policy.CostRule;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.PolicySource;
import io.weir.node.admission.Decider;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.hold.HoldWish;
import io.weir.node.intake.Door;
import io.weir.node.intake.EarlyAnswer;
import io.weir.node.intake.ServiceRequests;
import io.weir.node.metrics.NodeMetrics;
import io.weir.state.redis.RedisHolds;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reservations for services, which vouch for their callers with the service token: a caller that could settle by itself
 * would refund its own usage. The service, not the node, renews the reservations.
 */
public final class ReservationDoor implements Door {
  private static final String PATH = "/v1/reservations";
  private static final Pattern OF_ONE = Pattern.compile(
      PATH
          + "/([A-Za-z0-9_-]{1,64})\\.([A-Za-z0-9_-]{1,64})\\.([A-Za-z0-9_-]{1,64})/(settle|cancel|renew)");

  private final Vertx vertx;
  private final PolicySource policies;
  private final Decider decider;
  private final RedisHolds store;
  private final NodeMetrics metrics;
  private final ServiceRequests services;
  private final Context context;

  /** A door for one event loop. */
  public ReservationDoor(
      Vertx vertx,
      PolicySource policies,
      Decider decider,
      RedisHolds store,
      NodeMetrics metrics,
      ServiceRequests services) {
    this.vertx = vertx;
    this.policies = policies;
    this.decider = decider;
    this.store = store;
    this.metrics = metrics;
    this.services = services;
    this.context = vertx.getOrCreateContext();
  }

  @Override
  public boolean isAt(String path) {
    return path.equals(PATH) || path.startsWith(PATH + "/");
  }

  @Override
  public Set<String> routes() {
    return Set.of(
        "post " + PATH,
        "post " + PATH + "/{id}/settle",
        "post " + PATH + "/{id}/cancel",
        "post " + PATH + "/{id}/renew");
  }

  @Override
  public Future<Void> serve(HttpServerRequest request) {
    if (!HttpMethod.POST.equals(request.method())) {
      throw RefusedException.methodNotAllowed("POST");
    }
    services.admit(request);
    Matcher one = OF_ONE.matcher(request.path());
    boolean isOne = one.matches();
    if (!isOne && !request.path().equals(PATH)) {
      throw new RefusedException(unknown());
    }
    return services
        .body(request)
        .compose(body -> isOne ? change(request, one, body) : reserve(request, body));
  }

  private Future<Void> reserve(HttpServerRequest request, Buffer body) {
    ReservationRequest asked = ReservationRequest.parse(body);
    Policy policy = policies.current().policy();
    Subject subject = policy
        .subject(asked.subject())
        .orElseThrow(() -> new RefusedException(
            ProblemDetails.of(404, "subject_unknown", "The policy has no such subject")));
    Optional<OperationRule> rule = policy.rule(asked.operation());
    long cost = asked.cost().orElseGet(() -> rule.map(ReservationDoor::ownCost).orElse(1L));
    HoldWish wish = HoldWish.reserving(
        subject,
        rule.flatMap(OperationRule::settle),
        asked.id(),
        asked.content(),
        asked.leaseMicros());
    return decider
        .decide(context, subject, asked.operation(), cost, TicketRequest.NONE, wish)
        .compose(decision -> answer(request, rule, decision, wish))
        .recover(error -> EarlyAnswer.send(vertx, request, problem(error)));
  }

  private static long ownCost(OperationRule rule) {
    return rule.cost() instanceof CostRule.Read read
        ? read.fallback().orElse(1)
        : ((CostRule.Fixed) rule.cost()).cost();
  }

  private Future<Void> answer(
      HttpServerRequest request, Optional<OperationRule> rule, Decision decision, HoldWish wish) {
    DecisionAnswers.addHeaders(decision, request.response().headers());
    if (decision instanceof Denied denied) {
      ProblemDetails problem = DecisionAnswers.problem(denied);
      return EarlyAnswer.send(
          vertx,
          request,
          rule.flatMap(OperationRule::stage)
              .map(stage -> problem.with("code", stage.code()))
              .orElse(problem));
    }
    if (decision instanceof NeverAllowed never) {
      return EarlyAnswer.send(vertx, request, DecisionAnswers.problem(never));
    }
    return send(request, 201, reserved((Allowed) decision, wish));
  }

  // A degraded decision is not recorded: there is no reservation to settle.
  private static JsonObject reserved(Allowed allowed, HoldWish wish) {
    JsonObject json = new JsonObject();
    wish.held()
        .filter(held -> !allowed.degraded())
        .ifPresent(held -> json.put(
                "reservation", String.join(".", held.tenant(), held.subject(), held.id()))
            .put("leaseMs", held.leaseMicros() / 1000));
    JsonArray limits = new JsonArray();
    for (Limit limit : allowed.limits()) {
      limits.add(new JsonObject()
          .put("bucket", limit.bucket())
          .put("kind", limit.kind().word())
          .put("scope", DecisionAnswers.wordOf(limit.scope()))
          .put("remaining", limit.remaining())
          .put("resetMs", DecisionAnswers.resetMillis(limit)));
    }
    return json.put("limits", limits)
        .put("paidBy", new JsonArray(allowed.remarks().paidBy()))
        .put("near", new JsonArray(allowed.remarks().near()))
        .put("degraded", allowed.degraded())
        .put("revision", allowed.revision());
  }

  private Future<Void> change(HttpServerRequest request, Matcher one, Buffer body) {
    String verb = one.group(4);
    long cost = verb.equals("settle") ? ReservationRequest.cost(body) : 0;
    return Future.fromCompletionStage(
            store.recorded(one.group(1), one.group(2), one.group(3)), context)
        .compose(held -> verb.equals("renew")
            ? renew(request, held)
            : Future.fromCompletionStage(
                    store.end(
                        held,
                        verb.equals("settle") ? new Ending.Settled(cost) : new Ending.Cancelled()),
                    context)
                .onSuccess(metrics::ended)
                .compose(ended -> answer(request, ended)))
        .recover(error -> EarlyAnswer.send(vertx, request, problem(error)));
  }

  private Future<Void> answer(HttpServerRequest request, Ended ended) {
    if (ended.status() == Ended.Status.UNKNOWN_HOLD) {
      return EarlyAnswer.send(vertx, request, unknown());
    }
    JsonObject answer = new JsonObject()
        .put("status", ended.status().word())
        .put("cost", ended.cost())
        .put("repeated", ended.isRepeated());
    return send(request, 200, ended.isCapped() ? answer.put("capped", true) : answer);
  }

  private Future<Void> renew(HttpServerRequest request, Held held) {
    return Future.fromCompletionStage(store.renew(List.of(held)), context)
        .compose(renewed -> renewed.get(0)
            ? send(request, 200, new JsonObject().put("leaseMs", held.leaseMicros() / 1000))
            : EarlyAnswer.send(vertx, request, unknown()));
  }

  private static ProblemDetails unknown() {
    return ProblemDetails.of(
        404, "reservation_unknown", "No such reservation, or it has expired or ended long ago");
  }

  private static ProblemDetails problem(Throwable error) {
    return RefusedException.of(error) instanceof RefusedException refused
        ? refused.problem()
        : ProblemDetails.of(404, "subject_unknown", "The policy has no such subject");
  }

  private static Future<Void> send(HttpServerRequest request, int status, JsonObject json) {
    return request
        .response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .end(json.toBuffer());
  }
}
