package io.weir.node.envoy;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.admission.Decider;
import io.weir.node.admission.Witness.Question;
import io.weir.node.answer.RefusedException;
import io.weir.node.answer.Tickets;
import io.weir.node.envoy.EnvoyServer.Subjects;
import io.weir.node.envoy.GrpcCall.Deadline;
import io.weir.node.envoy.Part.Role;
import io.weir.node.envoy.PartDecisions.Answer;
import io.weir.node.envoy.rule.EnvoyDomain;
import io.weir.node.envoy.rule.EnvoyDomains;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Decides on requests of Envoy: all their descriptors are charged, or none is. Looks come first, so that nothing is
 * taken where one denies; then the charges, in one step; then the refunds, if all of these were allowed: a denied request
 * comes again with its refunds. Descriptors in audit mode are decided by themselves, and so are those whose hits are over;
 * of those in quota mode the ones that have room are charged, if there is one.
 */
final class RateLimits {
  private static final String NEW_TICKET = "new";
  /** The wait of a denial while the shared state is away. */
  private static final long AWAY_MICROS = 1_000_000;

  private final Context context;
  private final PolicySource policies;
  private final Decider decider;
  private final PartDecisions each;
  private final Subjects subjects;

  /** For one event loop, that of {@code context}. */
  RateLimits(
      Context context,
      PolicySource policies,
      Decider decider,
      Corrections corrections,
      Subjects subjects) {
    this.context = context;
    this.policies = policies;
    this.decider = decider;
    this.each = new PartDecisions(context, policies, decider, corrections);
    this.subjects = subjects;
  }

  /**
   * Answers a message.
   *
   * @param shown the ticket in the metadata
   * @param deadline of the caller: nothing is charged after it
   */
  Future<Buffer> answer(Buffer message, Optional<String> shown, Deadline deadline) {
    RateLimitRequest request = RateLimitRequest.read(message);
    EnvoyDomain domain = EnvoyDomains.of(policies.current().policy())
        .find(request.domain())
        .orElseThrow(() -> new GrpcException(
            GrpcStatus.NOT_FOUND, "domain: '%s' is not in the policy".formatted(request.domain())));
    MatchedRules matched = MatchedRules.of(domain, request);
    return answer(matched, shown, deadline)
        .recover(error -> mustDeny(Failures.cause(error))
            ? Future.succeededFuture(Answers.away(matched, away()))
            : Future.failedFuture(error))
        .map(RateLimitResponse::bytes);
  }

  // Envoy may let a request pass whose call fails: one that nothing has counted is denied.
  private static boolean mustDeny(Throwable error) {
    return error instanceof StoreUnavailableException || error instanceof RefusedException;
  }

  private Denied away() {
    return Denied.degraded(policies.current().revision(), List.of(), AWAY_MICROS);
  }

  private Future<RateLimitResponse> answer(
      MatchedRules matched, Optional<String> shown, Deadline deadline) {
    return matched.subject().isEmpty()
        ? answer(matched, Optional.empty(), shown, deadline)
        : subjects
            .named(matched.subject().get())
            .compose(found -> found.isEmpty()
                ? Future.succeededFuture(Answers.unknown(matched))
                : answer(matched, found, shown, deadline));
  }

  private Future<RateLimitResponse> answer(
      MatchedRules matched, Optional<Subject> subject, Optional<String> shown, Deadline deadline) {
    RateLimitRequest request = matched.request();
    Parts parts = Parts.of(matched, policies.current().policy(), subject);
    if (parts.byId().isEmpty()) {
      return Future.succeededFuture(Answers.response(parts, Map.of()));
    }
    TicketRequest ticket = ticket(shown.or(request::ticket));
    Map<String, Answer> answers = new HashMap<>();
    List<Part> over = parts.of(Role.OVER);
    deadline.require();
    return forEach(parts.of(Role.AUDITED), each::decide, answers)
        .otherwiseEmpty() // what audits denies nothing, whatever becomes of it
        .compose(done -> forEach(over, each::take, answers))
        .compose(
            all -> forEach(parts.of(Role.IDLE), each::decide, answers).map(idle -> all && idle))
        .compose(all -> lookForRoom(parts.of(Role.ALTERNATIVE), answers).map(some -> all && some))
        .compose(all -> {
          if (over.isEmpty()) { // else something was charged
            deadline.require();
          }
          return chargeAll(parts, all, ticket, answers);
        })
        .compose(all -> refund(parts, all, answers).mapEmpty())
        .recover(error -> denyRest(parts, answers, error))
        .map(done -> {
          Answers.refused(parts, answers)
              .forEach(part -> answers.compute(
                  part.id(), (id, answer) -> each.counted(part, requireNonNull(answer))));
          return Answers.response(parts, answers);
        });
  }

  // Hits that are over and were taken are answered as taken, although the rest is denied undecided.
  private Future<Object> denyRest(Parts parts, Map<String, Answer> answers, Throwable error) {
    boolean isTaken = parts.of(Role.OVER).stream().anyMatch(part -> answers.containsKey(part.id()));
    if (!isTaken || !mustDeny(Failures.cause(error))) {
      return Future.failedFuture(error);
    }
    Answer denied = new Answer(away(), false, false);
    parts
        .of(Role.ALTERNATIVE)
        .forEach(part -> answers.remove(part.id())); // they were only looked at
    parts.byId().keySet().forEach(id -> answers.putIfAbsent(id, denied));
    return Future.succeededFuture();
  }

  // Each by itself, and awaited if another fails; whether all were allowed.
  private static Future<Boolean> forEach(
      List<Part> parts, Function<Part, Future<Answer>> decide, Map<String, Answer> answers) {
    if (parts.isEmpty()) {
      return Future.succeededFuture(true);
    }
    return Future.join(parts.stream()
            .map(part -> decide.apply(part).map(answer -> answers.put(part.id(), answer)))
            .toList())
        .map(done -> parts.stream().allMatch(part -> isAllowed(part, answers)));
  }

  private static boolean isAllowed(Part part, Map<String, Answer> answers) {
    return requireNonNull(answers.get(part.id())).isAllowed();
  }

  // The quotas that have room are charged with the others, in one step. If another request has
  // taken the room of one in between, nothing was charged, and the rest is tried.
  private Future<Boolean> chargeAll(
      Parts parts, boolean mayTake, TicketRequest ticket, Map<String, Answer> answers) {
    List<Part> others = parts.of(Role.CHARGED);
    if (!mayTake) {
      return forEach(others, each::look, answers).map(done -> false);
    }
    List<Part> taken = new ArrayList<>(others);
    taken.addAll(open(parts.of(Role.ALTERNATIVE), answers));
    return charge(taken, ticket, answers).compose(all -> {
      boolean isOther = all || taken.stream().noneMatch(Part::isAlternative);
      return isOther || others.stream().anyMatch(part -> !isAllowed(part, answers))
          ? Future.succeededFuture(all)
          : chargeAll(parts, hasRoom(parts.of(Role.ALTERNATIVE), answers), ticket, answers);
    });
  }

  // The quotas with room; while Redis is away, rather the ones of which the node has a share.
  private static List<Part> open(List<Part> quotas, Map<String, Answer> answers) {
    List<Part> open = quotas.stream()
        .filter(part -> !part.takesNothing() && isAllowed(part, answers))
        .toList();
    boolean isAway = open.stream()
        .anyMatch(part -> requireNonNull(answers.get(part.id())).decision().degraded());
    List<Part> known = open.stream().filter(Part::hasRates).toList();
    return isAway && !known.isEmpty() ? known : open;
  }

  private Future<Boolean> charge(
      List<Part> parts, TicketRequest ticket, Map<String, Answer> answers) {
    if (parts.size() < 2) {
      return forEach(parts, only -> each.charge(only, ticket), answers);
    }
    List<Question> questions = parts.stream().map(Part::question).toList();
    return decider.decideAsOne(context, questions, ticket).map(decisions -> {
      for (int i = 0; i < parts.size(); i++) {
        answers.put(parts.get(i).id(), Answer.ofCharge(decisions.get(i)));
      }
      return decisions.stream().allMatch(Allowed.class::isInstance);
    });
  }

  // Whether one has room, or there is none.
  private Future<Boolean> lookForRoom(List<Part> quotas, Map<String, Answer> answers) {
    return forEach(quotas, each::look, answers).map(all -> all || hasRoom(quotas, answers));
  }

  private static boolean hasRoom(List<Part> quotas, Map<String, Answer> answers) {
    return quotas.stream().anyMatch(part -> isAllowed(part, answers));
  }

  private Future<?> refund(Parts parts, boolean mayRefund, Map<String, Answer> answers) {
    List<Part> refunded = parts.of(Role.REFUNDED);
    if (!mayRefund) {
      return forEach(refunded, each::look, answers);
    }
    boolean isCharged =
        parts.byId().values().stream().anyMatch(part -> part.mayDeny() && part.hits() > 0);
    // The charges stay: an error would charge them once more.
    return forEach(
        refunded,
        part ->
            isCharged ? each.refund(part).otherwise(error -> each.degraded()) : each.refund(part),
        answers);
  }

  private static TicketRequest ticket(Optional<String> shown) {
    return Tickets.of(shown.filter(text -> !text.equals(NEW_TICKET)), shown.isPresent());
  }
}
