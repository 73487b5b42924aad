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
import io.weir.node.admission.Decider;
import io.weir.node.admission.Witness.Question;
import io.weir.node.answer.Tickets;
import io.weir.node.envoy.EnvoyServer.Corrections;
import io.weir.node.envoy.EnvoyServer.Subjects;
import io.weir.node.envoy.GrpcCall.Deadline;
import io.weir.node.envoy.PartDecisions.Answer;
import io.weir.node.envoy.rule.EnvoyDomain;
import io.weir.node.envoy.rule.EnvoyDomains;
import io.weir.node.envoy.rule.RuleOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Decides on requests of Envoy: all their descriptors are charged, or none is. Looks come first, so that nothing is
 * taken where one denies; then the charges, in one step; then the refunds, if all of these were allowed: a denied request
 * comes again with its refunds. Descriptors in audit mode are decided by themselves, and so are those whose hits are over;
 * those in quota mode are charged one by one, if one of them has room.
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
        .recover(error -> Failures.isOutage(error)
            ? Future.succeededFuture(Answers.away(matched, away()))
            : Future.failedFuture(error))
        .map(RateLimitResponse::bytes);
  }

  // The failure mode denies.
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
    deadline.require();
    return forEach(audited(parts), each::decide, answers)
        .otherwiseEmpty() // what audits denies nothing, whatever becomes of it
        .compose(done -> forEach(over(parts), each::take, answers))
        .compose(all -> forEach(idle(parts), each::decide, answers).map(idle -> all && idle))
        .compose(all -> lookForRoom(quotas(parts), answers).map(some -> all && some))
        .compose(all -> {
          deadline.require();
          return charge(charged(parts), all, ticket, answers);
        })
        .compose(all -> chargeQuotas(quotas(parts), all, answers))
        .compose(all -> refund(parts, all, answers))
        .map(done -> Answers.response(parts, answers));
  }

  private static List<Part> audited(Parts parts) {
    return those(parts, part -> part.has(RuleOption.AUDIT));
  }

  private static List<Part> over(Parts parts) {
    return those(parts, part -> part.isOver() && !part.has(RuleOption.AUDIT));
  }

  private static List<Part> idle(Parts parts) {
    return those(parts, part -> isEnforced(part) && part.takesNothing());
  }

  private static List<Part> charged(Parts parts) {
    return those(parts, part -> isEnforced(part) && !part.takesNothing() && !part.isOver());
  }

  private static List<Part> quotas(Parts parts) {
    return those(parts, part -> part.has(RuleOption.QUOTA) && !part.isRefund() && !part.isOver());
  }

  private static List<Part> refunded(Parts parts) {
    return those(parts, part -> part.isRefund() && !part.has(RuleOption.AUDIT));
  }

  private static boolean isEnforced(Part part) {
    return !part.has(RuleOption.AUDIT) && !part.has(RuleOption.QUOTA) && !part.isRefund();
  }

  private static List<Part> those(Parts parts, Predicate<Part> which) {
    return parts.byId().values().stream().filter(which).toList();
  }

  // Each by itself; whether all were allowed.
  private static Future<Boolean> forEach(
      List<Part> parts, Function<Part, Future<Answer>> decide, Map<String, Answer> answers) {
    return Future.all(parts.stream()
            .map(part -> decide.apply(part).onSuccess(answer -> answers.put(part.id(), answer)))
            .toList())
        .map(done -> parts.stream().allMatch(part -> isAllowed(part, answers)));
  }

  private static boolean isAllowed(Part part, Map<String, Answer> answers) {
    return requireNonNull(answers.get(part.id())).isAllowed();
  }

  // Whether all were allowed.
  private Future<Boolean> charge(
      List<Part> parts, boolean mayTake, TicketRequest ticket, Map<String, Answer> answers) {
    if (!mayTake || parts.isEmpty()) {
      return forEach(parts, each::look, answers).map(done -> mayTake);
    }
    if (parts.size() == 1) {
      return forEach(parts, only -> each.charge(only, ticket), answers);
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

  // Whether one has room, or there is none.
  private Future<Boolean> lookForRoom(List<Part> quotas, Map<String, Answer> answers) {
    return forEach(quotas, each::look, answers).map(all -> all || hasRoom(quotas, answers));
  }

  // The ones that had room are charged. Whether one of them still had, or there is none.
  private Future<Boolean> chargeQuotas(
      List<Part> quotas, boolean mayTake, Map<String, Answer> answers) {
    List<Part> open = quotas.stream()
        .filter(part -> mayTake && !part.takesNothing() && isAllowed(part, answers))
        .toList();
    return forEach(open, each::decide, answers)
        .map(done -> mayTake && (quotas.isEmpty() || hasRoom(quotas, answers)));
  }

  private static boolean hasRoom(List<Part> quotas, Map<String, Answer> answers) {
    return quotas.stream().anyMatch(part -> isAllowed(part, answers));
  }

  private Future<?> refund(Parts parts, boolean mayRefund, Map<String, Answer> answers) {
    List<Part> refunded = refunded(parts);
    if (!mayRefund) {
      return forEach(refunded, each::look, answers);
    }
    boolean isCharged =
        !those(parts, part -> part.hits() > 0 && !part.has(RuleOption.AUDIT)).isEmpty();
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
