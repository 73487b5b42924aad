package io.weir.node.check;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.weir.core.decision.Decision;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.PolicySource;
import io.weir.node.admission.UnlistedOperation;
import io.weir.node.admission.WaitingDecider;
import io.weir.node.admission.Witness;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Identities;
import io.weir.node.auth.ServiceGuard;
import io.weir.node.check.CheckOutcome.Decided;
import io.weir.node.check.CheckOutcome.Failed;
import io.weir.node.check.CheckRequest.Check;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.WaitingRoom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/check}: one decision, or a list of them. The whole request is parsed and every subject is known
 * before anything is charged.
 */
public final class CheckDoor implements Door {
  // Comparing with all names of a plan takes time.
  private static final int MAX_UNLISTED = 10;
  private static final int MAX_SHOWN = 40;
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

  private final CheckBodies bodies;
  private final PolicySource policies;
  private final Identities identities;
  private final WaitingDecider decider;
  private final ServiceGuard services;

  /**
   * A door for one event loop.
   *
   * @param memory bytes of bodies
   */
  public CheckDoor(
      Vertx vertx,
      PolicySource policies,
      Identities identities,
      WaitingDecider decider,
      ServiceGuard services,
      Bulkhead memory) {
    this.bodies = new CheckBodies(vertx, memory);
    this.policies = policies;
    this.identities = identities;
    this.decider = decider;
    this.services = services;
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.post("/v1/check", asked -> check(asked.http())));
  }

  private Future<Void> check(HttpServerRequest request) {
    boolean isService = services.admits(request.headers());
    return (isService ? bodies.ofService(request) : bodies.ofStranger(request))
        .compose(asked -> understood(request, asked, isService));
  }

  private Future<Void> understood(
      HttpServerRequest request, CheckRequest asked, boolean isService) {
    if (!isService) {
      requireKeys(request, asked);
    }
    List<Future<Optional<Subject>>> subjects = new ArrayList<>(asked.checks().size());
    Optional<String> address = isService ? Optional.empty() : identities.address(request);
    boolean areKnown = true;
    for (Check check : asked.checks()) {
      Future<Optional<Subject>> subject = subject(check, address);
      areKnown &= subject.isComplete();
      subjects.add(subject);
    }
    return areKnown
        ? identified(request, asked, subjects)
        : Future.join(subjects).transform(found -> identified(request, asked, subjects));
  }

  // Only a service may name subjects, known ones and others.
  private void requireKeys(HttpServerRequest request, CheckRequest asked) {
    List<String> named = new ArrayList<>(0);
    for (int i = 0; i < asked.checks().size(); i++) {
      if (asked.checks().get(i).subject().isPresent()) {
        named.add(place(asked, i));
      }
    }
    if (!named.isEmpty()) {
      throw refused(services.refusal(request.headers()), named);
    }
  }

  private Future<Optional<Subject>> subject(Check check, Optional<String> address) {
    return check.key().isPresent()
        ? identities.ofKey(check.key().get(), address)
        : identities.named(check.subject().orElseThrow());
  }

  private Future<Void> identified(
      HttpServerRequest request, CheckRequest asked, List<Future<Optional<Subject>>> subjects) {
    List<Question> questions = new ArrayList<>(asked.checks().size());
    List<String> unknownKeys = new ArrayList<>(0);
    List<String> unknownSubjects = new ArrayList<>(0);
    Policy policy = policies.current().policy();
    for (int i = 0; i < asked.checks().size(); i++) {
      Check check = asked.checks().get(i);
      Future<Optional<Subject>> found = subjects.get(i);
      if (found.failed()) {
        return Future.failedFuture(found.cause());
      }
      Optional<Subject> subject = found.result();
      if (subject.isPresent()) {
        long cost = check.price().cost().orElseGet(() -> policy.ownCost(check.operation()));
        questions.add(new Question(subject.get(), check, cost));
      } else if (check.key().isPresent()) {
        unknownKeys.add(place(asked, i));
      } else {
        unknownSubjects.add("%s: %s (expected: one that may be used)"
            .formatted(place(asked, i), shown(check.subject().orElseThrow())));
      }
    }
    // Each answer has one code, which all its errors have: those of subjects come after keys.
    if (!unknownKeys.isEmpty()) {
      throw refused(Identities.invalid().problem(), unknownKeys);
    }
    if (!unknownSubjects.isEmpty()) {
      throw refused(Identities.subjectUnknown(), unknownSubjects);
    }
    return asked.isList() ? decideAll(questions, request) : decide(questions.get(0), request);
  }

  private static String place(CheckRequest asked, int check) {
    String field = asked.checks().get(check).key().isPresent() ? "key" : "subject";
    return asked.isList() ? "checks[%d].%s".formatted(check, field) : field;
  }

  // A key that is sent as a subject by mistake has its secret after the dot.
  private static String shown(String subject) {
    int dot = subject.indexOf('.');
    int length = Math.min(dot < 0 ? subject.length() : dot, MAX_SHOWN);
    return subject.substring(0, length) + (length < subject.length() ? "…" : "");
  }

  private static RefusedException refused(ProblemDetails problem, List<String> errors) {
    return new RefusedException(problem.with("errors", new JsonArray(errors)));
  }

  private Future<Void> decide(Question question, HttpServerRequest request) {
    return decision(question, request).transform(done -> {
      if (done.failed() && request.response().closed()) {
        return Future.failedFuture(done.cause());
      }
      CheckOutcome outcome = outcome(question, done.result(), done.cause(), true);
      if (outcome instanceof Failed failed) {
        throw new RefusedException(failed.problem());
      }
      if (outcome instanceof Decided decided) {
        DecisionAnswers.addHeaders(decided.decision(), request.response().headers());
      }
      return send(request.response(), CheckAnswer.of(outcome));
    });
  }

  // Joined, not composed: a question without an answer does not fail the others.
  private Future<Void> decideAll(List<Question> questions, HttpServerRequest request) {
    List<Future<Decision>> decisions =
        questions.stream().map(question -> decision(question, request)).toList();
    return Future.join(decisions).transform(done -> {
      List<CheckOutcome> outcomes = new ArrayList<>(decisions.size());
      int unlisted = 0;
      for (int i = 0; i < decisions.size(); i++) {
        Future<Decision> decision = decisions.get(i);
        CheckOutcome outcome =
            outcome(questions.get(i), decision.result(), decision.cause(), unlisted < MAX_UNLISTED);
        outcomes.add(outcome);
        unlisted += outcome instanceof Decided it && it.unlisted().isPresent() ? 1 : 0;
      }
      return send(request.response(), CheckAnswer.of(outcomes));
    });
  }

  private Future<Decision> decision(Question of, HttpServerRequest request) {
    return decider.decide(
        new Witness.Question(
            of.subject(),
            of.check().operation(),
            of.cost(),
            of.check().price().atLeast().orElse(of.cost())),
        of.check().ticket(),
        of.check().waitMillis(),
        WaitingRoom.callerOf(request));
  }

  private CheckOutcome outcome(
      Question question,
      @Nullable Decision decision,
      @Nullable Throwable error,
      boolean namesUnlisted) {
    if (decision != null) {
      return new Decided(
          decision,
          namesUnlisted ? question.unlisted(identities.policy(), decision) : Optional.empty());
    }
    return new Failed(
        UndecidedCheck.problem(requireNonNull(error), question.check().subject().isPresent()));
  }

  private static Future<Void> send(HttpServerResponse response, Buffer body) {
    return response.putHeader(HttpHeaders.CONTENT_TYPE, JSON).end(body);
  }

  private record Question(Subject subject, Check check, long cost) {
    Optional<UnlistedOperation> unlisted(Policy policy, Decision decision) {
      return UnlistedOperation.of(policy, subject, check.operation(), decision);
    }
  }
}
