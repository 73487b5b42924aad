package io.weir.node.check;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.weir.decision.Decision;
import io.weir.node.Decider;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.auth.Authenticator;
import io.weir.node.auth.TokenGuard;
import io.weir.node.check.CheckRequest.BadCheckException;
import io.weir.node.check.CheckRequest.Check;
import io.weir.node.http.BodyFraming;
import io.weir.node.http.EarlyAnswer;
import io.weir.node.http.WatchedBody;
import io.weir.policy.CostRule;
import io.weir.policy.Policy;
import io.weir.policy.Subject;
import io.weir.slot.TicketRequest;
import io.weir.throttle.PolicySource;
import io.weir.throttle.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code POST /v1/check}: one decision, or a list of them. Everything is understood and everybody is
 * known before anything is taken.
 */
public final class CheckHandler implements Handler<HttpServerRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(CheckHandler.class);
  private static final int MAX_BYTES = 1 << 20;
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
  private static final ProblemDetails TOO_LONG =
      ProblemDetails.of(413, "body_too_long", "The request body is longer than allowed");

  private final Vertx vertx;
  private final PolicySource policies;
  private final Decider decider;
  private final TokenGuard services;
  private final Context context;

  /** @param context where decisions are answered */
  public CheckHandler(
      Vertx vertx, PolicySource policies, Decider decider, TokenGuard services, Context context) {
    this.vertx = vertx;
    this.policies = policies;
    this.decider = decider;
    this.services = services;
    this.context = context;
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (BodyFraming.length(request).orElse(0) > MAX_BYTES) {
      answer(request, TOO_LONG);
      return;
    }
    new WatchedBody(request, MAX_BYTES, () -> {}).whole().onComplete((body, error) -> {
      if (body != null) {
        check(request, body);
      } else if (error instanceof WatchedBody.TooLongException) {
        answer(request, TOO_LONG);
      } // else the connection broke, and nobody is there to be answered
    });
  }

  private void check(HttpServerRequest request, Buffer body) {
    try {
      understood(request, body);
    } catch (BadCheckException e) {
      answer(request, ProblemDetails.badRequest("check_invalid", e.mistakes()));
    } catch (RuntimeException e) {
      fail(request, e);
    }
  }

  private void understood(HttpServerRequest request, Buffer body) {
    CheckRequest asked = CheckRequest.parse(body.getBytes());
    List<Question> questions = new ArrayList<>(asked.checks().size());
    List<String> unknown = identify(asked, request, questions);
    if (!unknown.isEmpty()) {
      answer(
          request,
          ProblemDetails.of(
                  401,
                  "key_invalid",
                  "A key or subject is not known, or a service token is missing")
              .with("errors", new JsonArray(unknown)));
    } else if (asked.isList()) {
      decideAll(questions, request);
    } else {
      decide(questions.get(0), request);
    }
  }

  // Fills the questions, and gives the places of those that nobody may ask.
  private List<String> identify(
      CheckRequest asked, HttpServerRequest request, List<Question> questions) {
    Policy policy = policies.current().policy();
    List<String> unknown = new ArrayList<>(0);
    boolean namesSubjects =
        asked.checks().stream().anyMatch(check -> check.subject().isPresent());
    boolean isTrusted = namesSubjects && services.admits(request.headers());
    for (int i = 0; i < asked.checks().size(); i++) {
      Check check = asked.checks().get(i);
      Optional<Subject> subject = check.key().isPresent()
          ? Authenticator.authenticate(check.key().get(), policy)
          : check.subject().filter(id -> isTrusted).flatMap(policy::subject);
      if (subject.isPresent()) {
        questions.add(
            new Question(subject.get(), check.operation(), cost(check, policy), check.ticket()));
      } else {
        String place = asked.isList() ? "checks[%d].".formatted(i) : "";
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

  private void decide(Question question, HttpServerRequest request) {
    decider.decide(
        context,
        question.subject(),
        question.operation(),
        question.cost(),
        question.ticket(),
        (decision, error) -> answer(request, outcome(decision, error)));
  }

  private void answer(HttpServerRequest request, Outcome outcome) {
    try {
      if (outcome instanceof Outcome.Failed failed) {
        answer(request, failed.problem());
        return;
      }
      if (outcome instanceof Outcome.Decided decided) {
        DecisionAnswers.addHeaders(decided.decision(), request.response().headers());
      }
      send(request.response(), CheckAnswer.of(outcome));
    } catch (RuntimeException e) {
      fail(request, e);
    }
  }

  // Joined, not composed: one question without an answer does not take the others' along.
  private void decideAll(List<Question> questions, HttpServerRequest request) {
    List<Future<Decision>> decisions = questions.stream()
        .map(q -> decider.decide(context, q.subject(), q.operation(), q.cost(), q.ticket()))
        .toList();
    Future.join(decisions).onComplete(done -> {
      try {
        List<Outcome> outcomes = decisions.stream()
            .map(decision -> outcome(decision.result(), decision.cause()))
            .toList();
        send(request.response(), CheckAnswer.of(outcomes));
      } catch (RuntimeException e) {
        fail(request, e);
      }
    });
  }

  private Outcome outcome(@Nullable Decision decision, @Nullable Throwable error) {
    if (decision != null) {
      return new Outcome.Decided(decision);
    }
    if (decider.passes(requireNonNull(error))) {
      return new Outcome.Unchecked();
    }
    return new Outcome.Failed(
        error instanceof StoreUnavailableException
            ? ProblemDetails.unavailable()
            : ProblemDetails.of(401, "key_invalid", "The key was withdrawn"));
  }

  private static void send(HttpServerResponse response, Buffer body) {
    response.putHeader(HttpHeaders.CONTENT_TYPE, JSON);
    Future<Void> unused = response.end(body);
  }

  private void answer(HttpServerRequest request, ProblemDetails problem) {
    Future<Void> unused = EarlyAnswer.send(vertx, request, problem);
  }

  private void fail(HttpServerRequest request, RuntimeException error) {
    if (request.response().closed()) {
      return; // the caller hung up
    }
    LOG.error("a check failed for no known reason", error);
    if (!request.response().headWritten()) {
      answer(request, ProblemDetails.of(500, "internal_error", "The node failed"));
    }
  }

  private record Question(Subject subject, String operation, long cost, TicketRequest ticket) {}
}
