package io.weir.node.check;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.weir.decision.Decision;
import io.weir.node.Decider;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.auth.Authenticator;
import io.weir.node.auth.TokenGuard;
import io.weir.node.check.CheckRequest.BadCheckException;
import io.weir.node.check.CheckRequest.Check;
import io.weir.policy.CostRule;
import io.weir.policy.Policy;
import io.weir.policy.Subject;
import io.weir.slot.TicketRequest;
import io.weir.throttle.PolicySource;
import io.weir.throttle.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code POST /v1/check}: one decision, or a list of them. Everything is understood and everybody is
 * known before anything is taken.
 */
public final class CheckHandler implements Handler<RoutingContext> {
  private final PolicySource policies;
  private final Decider decider;
  private final TokenGuard services;
  private final Context context;

  public CheckHandler(
      PolicySource policies, Decider decider, TokenGuard services, Context context) {
    this.policies = policies;
    this.decider = decider;
    this.services = services;
    this.context = context;
  }

  @Override
  public void handle(RoutingContext routing) {
    CheckRequest request;
    try {
      request = CheckRequest.parse(
          Optional.ofNullable(routing.body().buffer()).orElseGet(Buffer::buffer));
    } catch (BadCheckException e) {
      ProblemDetails.badRequest("check_invalid", e.mistakes()).send(routing.response());
      return;
    }
    List<Question> questions = new ArrayList<>();
    List<String> unknown = identify(request, routing.request().headers(), questions);
    if (!unknown.isEmpty()) {
      ProblemDetails.of(
              401, "key_invalid", "A key or subject is not known, or a service token is missing")
          .with("errors", new JsonArray(unknown))
          .send(routing.response());
      return;
    }
    decide(questions, request.isList(), routing.response()).onFailure(routing::fail);
  }

  // Fills the questions, and gives the places of those that nobody may ask.
  private List<String> identify(CheckRequest request, MultiMap headers, List<Question> questions) {
    Policy policy = policies.current().policy();
    boolean trusted = services.admits(headers);
    List<String> unknown = new ArrayList<>();
    for (int i = 0; i < request.checks().size(); i++) {
      Check check = request.checks().get(i);
      Optional<Subject> subject = check.key().isPresent()
          ? Authenticator.authenticate(check.key().get(), policy)
          : check.subject().filter(id -> trusted).flatMap(policy::subject);
      if (subject.isPresent()) {
        questions.add(
            new Question(subject.get(), check.operation(), cost(check, policy), check.ticket()));
      } else {
        String place = request.isList() ? "checks[%d].".formatted(i) : "";
        unknown.add(place + (check.key().isPresent() ? "key" : "subject"));
      }
    }
    return unknown;
  }

  // Where the check names no cost, the operation's own: a fixed one, or what a request without a
  // cost takes.
  private static long cost(Check check, Policy policy) {
    return check
        .cost()
        .orElseGet(() ->
            policy.rule(check.operation()).map(rule -> ownCost(rule.cost())).orElse(1L));
  }

  private static long ownCost(CostRule rule) {
    return rule instanceof CostRule.Read read
        ? read.fallback().orElse(1)
        : ((CostRule.Fixed) rule).cost();
  }

  private Future<Void> decide(
      List<Question> questions, boolean isList, HttpServerResponse response) {
    List<Future<Decision>> decisions = questions.stream()
        .map(q -> decider.decide(context, q.subject(), q.operation(), q.cost(), q.ticket()))
        .toList();
    // Joined, not composed: one question without an answer does not take the others' along.
    return Future.join(decisions)
        .transform(done ->
            isList ? answerList(decisions, response) : answerOne(decisions.get(0), response));
  }

  private Future<Void> answerOne(Future<Decision> decision, HttpServerResponse response) {
    if (decision.succeeded()) {
      DecisionAnswers.addHeaders(decision.result(), response.headers());
      return send(response, DecisionAnswers.toJson(decision.result()));
    }
    return decider.passes(decision.cause())
        ? send(response, undecidedButAllowed())
        : problem(decision.cause()).send(response);
  }

  private Future<Void> answerList(List<Future<Decision>> decisions, HttpServerResponse response) {
    JsonArray answers = new JsonArray();
    for (Future<Decision> decision : decisions) {
      answers.add(
          decision.succeeded()
              ? DecisionAnswers.toJson(decision.result())
              : undecided(decision.cause()));
    }
    return send(response, new JsonObject().put("decisions", answers));
  }

  private JsonObject undecided(Throwable error) {
    return decider.passes(error)
        ? undecidedButAllowed()
        : new JsonObject().put("problem", problem(error).toJson());
  }

  private static JsonObject undecidedButAllowed() {
    return new JsonObject()
        .put("decision", "allowed")
        .put("degraded", true)
        .put("retryAfterMs", 0)
        .put("full", new JsonArray())
        .put("limits", new JsonArray());
  }

  private static ProblemDetails problem(Throwable error) {
    return error instanceof StoreUnavailableException
        ? ProblemDetails.unavailable()
        : ProblemDetails.of(401, "key_invalid", "The key was withdrawn");
  }

  private static Future<Void> send(HttpServerResponse response, JsonObject json) {
    return response.putHeader(HttpHeaders.CONTENT_TYPE, "application/json").end(json.toBuffer());
  }

  private record Question(Subject subject, String operation, long cost, TicketRequest ticket) {}
}
