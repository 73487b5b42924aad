package io.weir.node.envoy;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.PolicySource;
import io.weir.node.admission.Decider;
import io.weir.node.admission.Witness.Question;
import io.weir.node.answer.Tickets;
import io.weir.node.envoy.EnvoyServer.Refunds;
import io.weir.node.envoy.EnvoyServer.Subjects;
import io.weir.node.envoy.rule.EnvoyDomain;
import io.weir.node.envoy.rule.EnvoyDomains;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides on requests of Envoy: all their descriptors are charged, or none is. Looks come first, so that nothing is
 * taken where one denies; then the charges, in one step; then the refunds, if all of these were allowed: a denied request
 * comes again with its refunds. Descriptors in audit mode are decided by themselves.
 */
final class RateLimits {
  private static final String NEW_TICKET = "new";

  private final Context context;
  private final PolicySource policies;
  private final Decider decider;
  private final Refunds refunds;
  private final Subjects subjects;

  /** For one event loop, that of {@code context}. */
  RateLimits(
      Context context, PolicySource policies, Decider decider, Refunds refunds, Subjects subjects) {
    this.context = context;
    this.policies = policies;
    this.decider = decider;
    this.refunds = refunds;
    this.subjects = subjects;
  }

  /**
   * Answers a message.
   *
   * @param shown the ticket in the metadata
   */
  Future<Buffer> answer(Buffer message, Optional<String> shown) {
    RateLimitRequest request = RateLimitRequest.read(message);
    EnvoyDomain domain = EnvoyDomains.of(policies.current().policy())
        .find(request.domain())
        .orElseThrow(() -> new GrpcException(
            GrpcStatus.NOT_FOUND, "domain: '%s' is not in the policy".formatted(request.domain())));
    MatchedRules matched = MatchedRules.of(domain, request);
    return matched.subject().isEmpty()
        ? answer(matched, Optional.empty(), shown)
        : subjects
            .named(matched.subject().get())
            .compose(found -> found.isEmpty()
                ? Future.succeededFuture(Answers.unknown(matched).bytes())
                : answer(matched, found, shown));
  }

  private Future<Buffer> answer(
      MatchedRules matched, Optional<Subject> subject, Optional<String> shown) {
    RateLimitRequest request = matched.request();
    Parts parts = Parts.of(matched, policies.current().policy(), subject);
    if (parts.byId().isEmpty()) {
      return Future.succeededFuture(Answers.response(parts, Map.of()).bytes());
    }
    TicketRequest ticket = ticket(shown.or(request::ticket));
    Map<String, Answer> answers = new HashMap<>();
    return decideAll(audited(parts), answers)
        .otherwiseEmpty() // what audits denies nothing, whatever becomes of it
        .compose(done -> decideAll(idle(parts), answers))
        .compose(isAllowed -> charge(charged(parts), isAllowed, ticket, answers))
        .compose(isAllowed -> refund(parts, isAllowed, answers))
        .map(done -> Answers.response(parts, answers).bytes());
  }

  /**
   * A decision on a part.
   *
   * @param counts whether what it shows as used has the hits in it
   */
  record Answer(Decision decision, boolean counts) {
    boolean isAllowed() {
      return decision instanceof Allowed;
    }
  }

  private static List<Part> audited(Parts parts) {
    return parts.byId().values().stream().filter(part -> part.rule().audits()).toList();
  }

  private static List<Part> idle(Parts parts) {
    return enforced(parts).stream().filter(Part::takesNothing).toList();
  }

  private static List<Part> charged(Parts parts) {
    return enforced(parts).stream().filter(part -> !part.takesNothing()).toList();
  }

  private static List<Part> enforced(Parts parts) {
    return parts.byId().values().stream()
        .filter(part -> !part.rule().audits() && !part.isRefund())
        .toList();
  }

  private static List<Part> refunded(Parts parts) {
    return parts.byId().values().stream()
        .filter(part -> !part.rule().audits() && part.isRefund())
        .toList();
  }

  // Each by itself; whether all were allowed.
  private Future<Boolean> decideAll(List<Part> each, Map<String, Answer> answers) {
    return Future.all(each.stream().map(part -> decideAlone(part, answers)).toList())
        .map(done -> each.stream()
            .allMatch(part -> requireNonNull(answers.get(part.id())).isAllowed()));
  }

  private Future<?> decideAlone(Part part, Map<String, Answer> answers) {
    if (part.isRefund()) {
      return refund(part, answers);
    }
    boolean looks = part.looks();
    Future<Decision> decided =
        looks ? look(part) : decider.decide(context, part.question(), TicketRequest.NONE);
    return decided.onSuccess(
        decision -> answers.put(part.id(), new Answer(decision, !looks || isQuota(decision))));
  }

  private Future<Decision> look(Part part) {
    Question question = part.question();
    return decider
        .peek(context, question.subject(), question.operation(), question.cost())
        .recover(error -> whileAway(part, error));
  }

  // No share of a node knows what is left.
  private Future<Decision> whileAway(Part part, Throwable error) {
    boolean isServed =
        Failures.isOutage(error) && part.subject().plan().failureMode() != FailureMode.DENY;
    return isServed ? Future.succeededFuture(degraded()) : Future.failedFuture(error);
  }

  private Decision degraded() {
    return new Allowed(policies.current().revision(), List.of(), true);
  }

  // A look at a quota shows what is left after the hit.
  private static boolean isQuota(Decision decision) {
    return decision.demands().isEmpty() && decision instanceof Allowed;
  }

  // Whether all were allowed.
  private Future<Boolean> charge(
      List<Part> parts, boolean mayTake, TicketRequest ticket, Map<String, Answer> answers) {
    if (!mayTake || parts.isEmpty()) {
      return Future.all(parts.stream().map(part -> lookAt(part, answers)).toList())
          .map(done -> mayTake);
    }
    if (parts.size() == 1) {
      Part only = parts.get(0);
      return decider
          .decide(context, only.question(), ticket)
          .onSuccess(decision -> answers.put(only.id(), new Answer(decision, true)))
          .map(Allowed.class::isInstance);
    }
    List<Question> questions = parts.stream().map(Part::question).toList();
    return decider
        .decideAsOne(context, questions, ticket)
        .onSuccess(decisions -> {
          for (int i = 0; i < parts.size(); i++) {
            answers.put(parts.get(i).id(), new Answer(decisions.get(i), true));
          }
        })
        .map(decisions -> decisions.stream().allMatch(Allowed.class::isInstance));
  }

  private Future<?> lookAt(Part part, Map<String, Answer> answers) {
    return look(part)
        .onSuccess(decision -> answers.put(part.id(), new Answer(decision, isQuota(decision))));
  }

  private Future<?> refund(Parts parts, boolean mayRefund, Map<String, Answer> answers) {
    boolean isCharged = !charged(parts).isEmpty();
    return Future.all(refunded(parts).stream()
        .map(part -> {
          Future<?> done = mayRefund ? refund(part, answers) : lookAt(part, answers);
          // The charges stay: an error would charge them once more.
          return isCharged
              ? done.onFailure(error -> answers.put(part.id(), new Answer(degraded(), false)))
                  .otherwiseEmpty()
              : done;
        })
        .toList());
  }

  // The look before it knows whether Redis is away: nothing is given back then. The answer is what
  // is left after it.
  private Future<?> refund(Part part, Map<String, Answer> answers) {
    Subject subject = part.subject();
    OperationLimit limit = part.planned();
    return look(part)
        .compose(before -> {
          boolean isAway = before instanceof Allowed allowed && allowed.degraded();
          return isAway || !(limit instanceof Limited limited)
              ? Future.succeededFuture(before)
              : Future.fromCompletionStage(
                      refunds.refund(subject.tenant(), subject.id(), limited, -part.hits()),
                      context)
                  .compose(given -> look(part))
                  .recover(error -> whileAway(part, error));
        })
        .onSuccess(decision -> answers.put(part.id(), new Answer(decision, isQuota(decision))));
  }

  private static TicketRequest ticket(Optional<String> shown) {
    return Tickets.of(shown.filter(text -> !text.equals(NEW_TICKET)), shown.isPresent());
  }
}
