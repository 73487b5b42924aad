package io.weir.node.envoy;

import io.weir.core.answer.AnswerFields;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.node.envoy.Part.Role;
import io.weir.node.envoy.PartDecisions.Answer;
import io.weir.node.envoy.RateLimitResponse.Status;
import io.weir.node.envoy.rule.EnvoyRule;
import io.weir.node.envoy.rule.RuleOption;
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
    List<Part> enforced = parts.byId().values().stream()
        .filter(part -> !part.has(RuleOption.AUDIT))
        .filter(part -> !part.isRefund() || of(part, answers).isAllowed())
        .toList();
    List<Part> refused = refused(parts, answers);
    List<Decision> refusals =
        refused.stream().map(part -> of(part, answers).decision()).toList();
    List<Decision> decisions = enforced.stream()
        .filter(part -> refused.contains(part) || of(part, answers).isAllowed())
        .map(part -> of(part, answers).decision())
        .toList();
    boolean isOver = !refusals.isEmpty();
    List<Status> statuses = parts.ids().stream()
        .map(given -> given
            .map(id -> Objects.requireNonNull(parts.byId().get(id)))
            .map(part -> Optional.ofNullable(answers.get(part.id()))
                .map(answer -> status(part, answer, isOver))
                .orElse(Status.NONE))
            .orElse(Status.NONE))
        .toList();
    List<String> passed = enforced.stream()
        .filter(part -> part.isAlternative() && of(part, answers).isAllowed())
        .map(part -> part.rule().name())
        .toList();
    return new RateLimitResponse(
        isOver,
        statuses,
        headers(isOver ? refusals : decisions),
        metadata(full(refusals), isOver ? List.of() : passed));
  }

  /** The parts that deny a request: an alternative does only if none has room. */
  static List<Part> refused(Parts parts, Map<String, Answer> answers) {
    List<Part> full = parts.byId().values().stream()
        .filter(Part::mayDeny)
        .filter(part -> !of(part, answers).isAllowed())
        .toList();
    boolean hasRoom = parts.byId().values().stream()
        .anyMatch(part -> part.isAlternative() && of(part, answers).isAllowed());
    return full.stream().filter(part -> !(hasRoom && part.isAlternative())).toList();
  }

  /** The answer to a request that would charge a subject that the policy does not know: nothing is charged. */
  static RateLimitResponse unknown(MatchedRules matched) {
    List<Status> statuses = IntStream.range(0, matched.rules().size())
        .mapToObj(i -> matched.isOfPolicy(i) ? Status.REFUSED : Status.NONE)
        .toList();
    return new RateLimitResponse(true, statuses, Map.of(), Map.of());
  }

  /** The answer while the shared state is away, for a failure mode that denies. */
  static RateLimitResponse away(MatchedRules matched, Denied denied) {
    List<Status> statuses = matched.rules().stream()
        .map(rule -> rule.filter(Answers::isEnforced).isPresent() ? Status.REFUSED : Status.NONE)
        .toList();
    return new RateLimitResponse(true, statuses, headers(List.of(denied)), Map.of());
  }

  private static boolean isEnforced(EnvoyRule rule) {
    boolean isLimited = rule.counting().limit().isPresent()
        || rule.counting().charges().isPresent()
        || rule.has(RuleOption.OVERRIDE);
    return isLimited && !rule.has(RuleOption.AUDIT);
  }

  private static Answer of(Part part, Map<String, Answer> answers) {
    return Objects.requireNonNull(answers.get(part.id()));
  }

  private static Status status(Part part, Answer answer, boolean isOver) {
    Decision decision = answer.decision();
    Role role = part.role();
    boolean isRefused = part.mayDeny() && !answer.isAllowed();
    // Hits that were not taken are added back to what is left.
    boolean isTaken = part.hits() > 0 && (role == Role.AUDITED || role == Role.OVER || !isOver);
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

  private static Map<String, List<String>> metadata(List<String> full, List<String> passed) {
    Map<String, List<String>> metadata = new LinkedHashMap<>();
    metadata.put("full", full);
    metadata.put("passed", passed);
    return metadata;
  }
}
