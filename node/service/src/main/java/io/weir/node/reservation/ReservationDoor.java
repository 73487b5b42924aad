package io.weir.node.reservation;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.node.admission.Decider;
import io.weir.node.admission.DecisionProblems;
import io.weir.node.admission.UnlistedOperation;
import io.weir.node.admission.Witness.Question;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.LimitsJson;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Identities;
import io.weir.node.intake.Area;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.node.intake.ServiceRequests;
import io.weir.node.metrics.NodeMetrics;
import io.weir.state.hold.HoldWish;
import io.weir.state.hold.RedisHolds;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reservations for services, which vouch for their callers with the service token: a caller that could settle by itself
 * would refund its own usage. The service, not the node, renews the reservations.
 */
public final class ReservationDoor implements Door {
  private static final String PATH = "/v1/reservations";
  /** Tenant, escaped subject and the id of the hold. */
  private static final String ID =
      "[A-Za-z0-9_-]{1,64}\\.[A-Za-z0-9_~-]{1,384}\\.[A-Za-z0-9_-]{1,64}";

  private static final ProblemDetails UNKNOWN = ProblemDetails.of(
      404,
      "reservation_unknown",
      "No such reservation, or it has expired or ended long ago (expected: the reservation of the answer)");

  private final Identities identities;
  private final Decider decider;
  private final RedisHolds store;
  private final NodeMetrics metrics;
  private final ServiceRequests services;
  private final Context context;

  /** A door for one event loop. */
  public ReservationDoor(
      Vertx vertx,
      Identities identities,
      Decider decider,
      RedisHolds store,
      NodeMetrics metrics,
      ServiceRequests services) {
    this.identities = identities;
    this.decider = decider;
    this.store = store;
    this.metrics = metrics;
    this.services = services;
    this.context = vertx.getOrCreateContext();
  }

  @Override
  public List<Route> routes() {
    String one = PATH + "/{id}";
    return List.of(
        Route.post(PATH, this::reserve),
        Route.post(one + "/settle", this::settle),
        Route.post(one + "/cancel", this::cancel),
        Route.post(one + "/renew", this::renew));
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(
        Area.of(PATH + "/", Map.of("id", ID), UNKNOWN).checkedBy(services::admitPost));
  }

  private Future<Void> reserve(RoutedRequest request) {
    services.admit(request.http());
    return services.body(request.http()).compose(body -> reserve(request, body));
  }

  private Future<Void> reserve(RoutedRequest request, Buffer body) {
    ReservationRequest asked = ReservationRequest.parse(body);
    return identities
        .named(asked.subject())
        .map(
            subject -> subject.orElseThrow(() -> new RefusedException(Identities.subjectUnknown())))
        .compose(subject -> reserve(request, asked, subject));
  }

  private Future<Void> reserve(RoutedRequest request, ReservationRequest asked, Subject subject) {
    Policy policy = identities.policy();
    Optional<OperationRule> rule = policy.rule(asked.operation());
    long cost = asked.cost().orElseGet(() -> policy.ownCost(asked.operation()));
    HoldWish wish = HoldWish.reserving(
        subject,
        rule.flatMap(OperationRule::settle),
        asked.id(),
        asked.content(),
        asked.leaseMicros());
    Question question = new Question(subject, asked.operation(), cost);
    return decider
        .decide(context, question, TicketRequest.NONE, wish)
        .recover(ReservationDoor::withdrawn)
        .onSuccess(
            decision -> DecisionAnswers.addHeaders(decision, request.response().headers()))
        .compose(decision -> decision instanceof Allowed allowed
            ? request.answer(201, reserved(allowed, wish))
            : Future.failedFuture(refused(question, rule, decision)));
  }

  // The subject was removed from the policy while the request was decided.
  private static Future<Decision> withdrawn(Throwable error) {
    return Future.failedFuture(
        error instanceof UnknownSubjectException
            ? new RefusedException(Identities.subjectUnknown())
            : error);
  }

  private RefusedException refused(
      Question question, Optional<OperationRule> rule, Decision refusal) {
    String operation = question.operation();
    ProblemDetails problem = DecisionProblems.of(operation, rule, refusal);
    return new RefusedException(
        UnlistedOperation.of(identities.policy(), question.subject(), operation, refusal)
            .map(unlisted -> unlisted.in(problem))
            .orElse(problem));
  }

  // A degraded decision is not recorded: there is no reservation to settle.
  private static Buffer reserved(Allowed allowed, HoldWish wish) {
    StringBuilder json = new StringBuilder("{");
    wish.held()
        .filter(held -> !allowed.degraded())
        .ifPresent(held -> json.append("\"reservation\":\"")
            .append(String.join(".", held.tenant(), Names.escaped(held.subject()), held.id()))
            .append("\",\"leaseMs\":")
            .append(held.leaseMicros() / 1000)
            .append(','));
    json.append("\"limits\":");
    LimitsJson.append(allowed.limits(), json);
    json.append(",\"paidBy\":");
    LimitsJson.appendNames(allowed.remarks().paidBy(), json);
    json.append(",\"near\":");
    LimitsJson.appendNames(allowed.remarks().near(), json);
    json.append(",\"degraded\":").append(allowed.degraded());
    json.append(",\"revision\":").append(allowed.revision()).append('}');
    return Buffer.buffer(json.toString());
  }

  private Future<Void> settle(RoutedRequest request) {
    services.admit(request.http());
    return services
        .body(request.http())
        .compose(body -> end(request, new Ending.Settled(ReservationRequest.cost(body))));
  }

  private Future<Void> cancel(RoutedRequest request) {
    services.admit(request.http());
    return services.body(request.http()).compose(body -> end(request, new Ending.Cancelled()));
  }

  private Future<Void> end(RoutedRequest request, Ending ending) {
    return recorded(request)
        .compose(held -> Future.fromCompletionStage(store.end(held, ending), context))
        .onSuccess(metrics::ended)
        .compose(ended -> answer(request, ended));
  }

  private static Future<Void> answer(RoutedRequest request, Ended ended) {
    if (ended.status() == Ended.Status.UNKNOWN_HOLD) {
      throw new RefusedException(UNKNOWN);
    }
    JsonObject answer = new JsonObject()
        .put("status", ended.status().word())
        .put("cost", ended.cost())
        .put("repeated", ended.isRepeated());
    return request.answer(200, ended.isCapped() ? answer.put("capped", true) : answer);
  }

  private Future<Void> renew(RoutedRequest request) {
    services.admit(request.http());
    return services
        .body(request.http())
        .compose(body -> recorded(request))
        .compose(held -> renew(request, held));
  }

  private Future<Void> renew(RoutedRequest request, Held held) {
    return Future.fromCompletionStage(store.renew(List.of(held)), context).compose(renewed -> {
      if (!renewed.get(0)) {
        throw new RefusedException(UNKNOWN);
      }
      return request.answer(200, new JsonObject().put("leaseMs", held.leaseMicros() / 1000));
    });
  }

  private Future<Held> recorded(RoutedRequest request) {
    String[] name = request.parameter("id").split("\\.", -1);
    return Future.fromCompletionStage(
        store.recorded(name[0], Names.unescaped(name[1]), name[2]), context);
  }
}
