package io.weir.node.envoy;

import io.weir.core.answer.AnswerFields;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.node.envoy.RateLimitResponse.Status;
import io.weir.node.envoy.RateLimits.Answer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/** Writes decisions on the parts of a request as one answer. */
final class Answers {
  private Answers() {}

  /** @param answers by the id of the part, one for each; one in audit mode may have none */
  static RateLimitResponse response(Parts parts, Map<String, Answer> answers) {
    List<Decision> enforced = parts.byId().values().stream()
        .filter(part -> !part.rule().audits())
        .filter(part -> !part.isRefund() || of(part, answers).isAllowed())
        .map(part -> of(part, answers).decision())
        .toList();
    List<Decision> refusals =
        enforced.stream().filter(decision -> !isAllowed(decision)).toList();
    boolean isOver = !refusals.isEmpty();
    List<Status> statuses = parts.ids().stream()
        .map(given -> given
            .map(id -> Objects.requireNonNull(parts.byId().get(id)))
            .map(part -> Optional.ofNullable(answers.get(part.id()))
                .map(answer -> status(part, answer, isOver))
                .orElse(Status.NONE))
            .orElse(Status.NONE))
        .toList();
    return new RateLimitResponse(
        isOver, statuses, headers(isOver ? refusals : enforced), full(refusals));
  }

  /** The answer to a request that would charge a subject that the policy does not know: nothing is charged. */
  static RateLimitResponse unknown(MatchedRules matched) {
    List<Status> statuses = IntStream.range(0, matched.rules().size())
        .mapToObj(
            i -> matched.isOfPolicy(i) ? new Status(true, Optional.empty(), 0, 0) : Status.NONE)
        .toList();
    return new RateLimitResponse(true, statuses, Map.of(), List.of());
  }

  private static Answer of(Part part, Map<String, Answer> answers) {
    return Objects.requireNonNull(answers.get(part.id()));
  }

  private static Status status(Part part, Answer answer, boolean isOver) {
    Decision decision = answer.decision();
    boolean isRefused = !part.rule().audits() && !part.isRefund() && !answer.isAllowed();
    // Hits that were not taken are added back to what is left.
    boolean isTaken = part.hits() > 0 && (part.rule().audits() || !isOver);
    long back = answer.isAllowed() && answer.counts() && !isTaken ? part.cost() : 0;
    Optional<Limit> limit =
        decision.limits().stream().min(Comparator.comparingLong(Limit::remaining));
    long most = part.limit().map(named -> named.limit().requests()).orElse(Long.MAX_VALUE);
    long remaining = limit
        .map(state -> Math.min(most, (state.remaining() + back) / part.unit()))
        .orElse(0L);
    long micros = decision.fold(
        allowed -> limit.map(Limit::resetMicros).orElse(0L), Denied::retryAfterMicros, never -> 0L);
    return new Status(isRefused, part.limit(), remaining, micros);
  }

  // The limits that decided, and what the one with the longest wait says.
  private static Map<String, String> headers(List<Decision> decisions) {
    Map<String, String> headers = new LinkedHashMap<>();
    List<Limit> limits = new ArrayList<>();
    decisions.forEach(decision -> limits.addAll(decision.limits()));
    if (!limits.isEmpty()) {
      headers.put("RateLimit-Policy", AnswerFields.policy(limits));
      headers.put("RateLimit", AnswerFields.standing(limits));
    }
    decisions.stream()
        .max(Comparator.comparingLong(Answers::weight))
        .ifPresent(decision -> AnswerFields.setOthers(decision, headers::put));
    return headers;
  }

  // No wait helps where one is never allowed.
  private static long weight(Decision decision) {
    return decision.fold(
        allowed -> allowed.degraded() ? 1L : 0L, Denied::retryAfterMicros, never -> Long.MAX_VALUE);
  }

  private static List<String> full(List<Decision> refusals) {
    return refusals.stream()
        .flatMap(decision ->
            decision.fold(allowed -> List.<String>of(), Denied::full, NeverAllowed::full).stream())
        .distinct()
        .toList();
  }

  private static boolean isAllowed(Decision decision) {
    return decision.fold(allowed -> true, denied -> false, never -> false);
  }
}
