package io.weir.operators.explain;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.kind.Kind;
import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.OperationLimit.Unlimited;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Plan;
import io.weir.operators.status.AwayWords;
import io.weir.operators.top.ReasonCode;
import io.weir.state.inspect.QueueWords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** An explanation of what would be decided now: as JSON, and in words. */
final class Explanation {
  private static final int MICROS_PER_MILLI = 1000;
  private static final int MOST_OPERATIONS = 500;
  private static final Duration LONG = Duration.ofMinutes(2);

  private final Explained facts;
  private final OperationLimit limit;
  private final List<ExplainedLimit> limits;

  Explanation(Explained facts) {
    this.facts = facts;
    this.limit = facts.decided().subject().plan().limit(facts.decided().operation());
    this.limits = facts.decided().decision().map(this::limits).orElse(List.of());
  }

  private List<ExplainedLimit> limits(Decision decision) {
    Set<String> full = new HashSet<>(full(decision));
    List<Demand> demands = limit instanceof Limited limited ? limited.demands() : List.of();
    return decision.limits().stream()
        .map(it -> decision instanceof Allowed ? withoutRequest(it) : it)
        .map(it -> ExplainedLimit.of(it, demand(it, demands), full.contains(it.bucket()), facts))
        .toList();
  }

  // The answer to a request that would pass counts it already, but in rates.
  private Limit withoutRequest(Limit of) {
    long taken = limit instanceof Limited limited
        ? limited.others().stream()
            .filter(other -> other.kind() == of.kind()
                && other.scope() == of.scope()
                && other.name().equals(of.bucket()))
            .mapToLong(other -> other.counted(facts.decided().cost()))
            .max()
            .orElse(0)
        : 0;
    long used = Math.max(0, of.usedUnits() - taken);
    return taken == 0
        ? of
        : new Limit(
            of.bucket(),
            of.kind(),
            of.scope(),
            of.quota(),
            of.windowMillis(),
            used,
            Math.max(0, of.quota() - used),
            of.resetMicros());
  }

  private static Optional<Demand> demand(Limit of, List<Demand> demands) {
    return demands.stream()
        .filter(demand -> of.kind() == Kind.RATE
            && demand.bucket().scope() == of.scope()
            && demand.bucket().name().equals(of.bucket()))
        .findFirst();
  }

  private static List<String> full(Decision decision) {
    return decision.fold(allowed -> List.of(), Denied::full, NeverAllowed::full);
  }

  private Plan plan() {
    return facts.decided().subject().plan();
  }

  JsonObject toJson() {
    return who()
        .mergeIn(decision())
        .put("limits", new JsonArray(limits.stream().map(ExplainedLimit::toJson).toList()))
        .put("queue", new JsonArray(queue()))
        .put("states", states())
        .put("words", new JsonArray(words()));
  }

  /** The facts that all operations share. */
  JsonObject who() {
    JsonObject json = new JsonObject()
        .put("tenant", facts.decided().subject().tenant())
        .put("key", facts.decided().subject().id())
        .put("plan", plan().name())
        .put("listed", facts.policy().listed(facts.decided().subject().id()).isPresent())
        .put("operations", operations())
        .put("at", facts.now().toString());
    facts.decided().decision().ifPresent(decision -> {
      json.put("revision", decision.revision());
      if (decision.degraded()) {
        json.put("degraded", true);
      }
    });
    return json;
  }

  /** The decision that the operation would get. */
  JsonObject decision() {
    JsonObject json = new JsonObject()
        .put("operation", facts.decided().operation())
        .put("countedAs", plan().tagOf(facts.decided().operation()))
        .put("cost", facts.decided().cost())
        .put("decision", decisionWord());
    facts.decided().decision().ifPresent(decision -> add(decision, json));
    return json;
  }

  String operation() {
    return facts.decided().operation();
  }

  List<ExplainedLimit> limits() {
    return limits;
  }

  JsonObject states() {
    JsonObject states = new JsonObject();
    facts.keyStates().states().forEach((key, fields) -> {
      JsonObject shown = new JsonObject();
      fields.forEach(shown::put);
      states.put(key, shown);
    });
    return states;
  }

  // The operations that may be explained, too.
  private JsonArray operations() {
    return new JsonArray(facts.policy().routing().rules().stream()
        .map(OperationRule::name)
        .distinct()
        .limit(MOST_OPERATIONS)
        .toList());
  }

  private String decisionWord() {
    return facts
        .decided()
        .decision()
        .map(decision -> decision.<String>fold(
            allowed -> "allowed", denied -> "denied", never -> "never_allowed"))
        .orElse("unavailable");
  }

  private void add(Decision decision, JsonObject json) {
    json.put("full", new JsonArray(full(decision)));
    if (decision instanceof Denied denied) {
      json.put("retryAfterMs", millis(denied)).put("estimate", denied.estimate());
    }
    if (decision instanceof NeverAllowed never) {
      json.put("reason", code(never));
      ReasonCode.words(code(never)).ifPresent(words -> json.put("why", words));
    }
  }

  private String code(NeverAllowed never) {
    return ReasonCode.of(never.reason(), limit);
  }

  private static long millis(Denied denied) {
    return (denied.retryAfterMicros() + MICROS_PER_MILLI - 1) / MICROS_PER_MILLI;
  }

  private List<String> words() {
    List<String> words = new ArrayList<>();
    words.add(sentence());
    words.addAll(inWords(limits));
    Set<String> names = limits.stream().map(it -> it.limit().bucket()).collect(Collectors.toSet());
    queue().stream()
        .filter(line -> QueueWords.isOf(line, names))
        .map(QueueWords::of)
        .forEach(words::add);
    return words;
  }

  /** The decision in words. */
  String sentence() {
    return "%s of %d by %s: %s"
        .formatted(
            facts.decided().operation(),
            facts.decided().cost(),
            caller(),
            facts.decided().decision().map(this::inWords).orElseGet(this::withoutRedis));
  }

  /** The caller in words. */
  String caller() {
    return "%s/%s, plan %s"
        .formatted(
            facts.decided().subject().tenant(),
            facts.decided().subject().id(),
            plan().name());
  }

  /** Why no such request ever passes; empty if one does. */
  Optional<String> forbidden() {
    return facts
        .decided()
        .decision()
        .filter(NeverAllowed.class::isInstance)
        .map(never -> why((NeverAllowed) never));
  }

  /** Limits in words, and who holds their permits. */
  static List<String> inWords(List<ExplainedLimit> limits) {
    List<String> words = new ArrayList<>();
    limits.forEach(it -> words.add(it.inWords()));
    limits.forEach(it -> it.holders()
        .forEach(holder -> words.add("%s: in use by %s until %s at most"
            .formatted(it.limit().bucket(), holder.id(), holder.until()))));
    return words;
  }

  private String inWords(Decision decision) {
    return decision.fold(
        allowed ->
            limit instanceof Unlimited ? "it would pass; nothing limits it." : "it would pass now.",
        this::deniedInWords,
        this::neverInWords);
  }

  private String deniedInWords(Denied denied) {
    String why = denied.full().isEmpty()
        ? "the rest is reserved for callers that were denied before"
        : String.join(", ", denied.full()) + " full";
    return "it would be denied for %s%s: %s."
        .formatted(
            denied.estimate() ? "at least " : "", seconds(Duration.ofMillis(millis(denied))), why);
  }

  private String neverInWords(NeverAllowed never) {
    return "it can never pass: " + why(never);
  }

  private String why(NeverAllowed never) {
    return switch (never.reason()) {
      case ACCESS_DISABLED -> "the %s.".formatted(ReasonCode.words(code(never)).orElseThrow());
      case OPERATION_NOT_CONFIGURED ->
        "no bucket of the plan limits the operation, and the policy denies such operations.";
      case COST_EXCEEDS_CAPACITY ->
        "the cost is above the size of %s.".formatted(String.join(", ", never.full()));
      case RESERVATION_ENDED, RESERVATION_ID_REUSED -> never.reason().code() + ".";
    };
  }

  private String withoutRedis() {
    return "Redis is away; meanwhile %s.".formatted(AwayWords.of(plan().failureMode()));
  }

  private static String seconds(Duration wait) {
    if (wait.compareTo(LONG) < 0) {
      return "%.3f s".formatted(wait.toMillis() / 1000.0);
    }
    String hours = wait.toHours() == 0 ? "" : wait.toHours() + " h ";
    return "%s%d min %d s".formatted(hours, wait.toMinutesPart(), wait.toSecondsPart());
  }

  /** The units that are due to waiting callers. */
  List<String> queue() {
    return facts.keyStates().queue(facts.now());
  }
}
