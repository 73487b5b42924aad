package io.weir.operators.denial;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.resp.limit.RequestLimit;
import io.weir.operators.top.LimitName;
import io.weir.operators.top.ReasonCode;
import io.weir.operators.top.SubjectName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A denial that is remembered. Immutable.
 *
 * @param by the first limit without room, or the reason
 * @param degraded whether the node decided by itself
 * @param revision of the policy; 0 if nothing was decided
 */
public record Denial(
    Event event, Asked asked, LimitName by, Answer answer, boolean degraded, long revision) {
  /**
   * The event.
   *
   * @param atNanos when, by the clock of the node's process
   * @param trace the id of the trace that the request belongs to
   */
  public record Event(String id, long atNanos, Optional<String> trace) {}

  /**
   * The caller, and the request.
   *
   * @param carried the limit that the request carried
   */
  public record Asked(SubjectName who, long cost, Optional<RequestLimit> carried) {}

  /**
   * The answer to the caller.
   *
   * @param outcome {@code denied}, {@code never_allowed} or {@code unavailable}; {@code would_deny} if the request passed,
   *     and only a rehearsed limit had no room
   * @param full the limits without room; empty if the caller came before its slot
   * @param retryAfter the wait; zero if there is none
   * @param estimate whether the wait is an estimate
   */
  public record Answer(String outcome, List<Full> full, Duration retryAfter, boolean estimate) {
    public Answer {
      full = List.copyOf(full);
    }
  }

  /** The outcome of what only would have been denied. */
  public static final String WOULD_DENY = "would_deny";

  /** The field with the limit that the request carried. */
  static final String CARRIED = "carried";

  private static final Duration LEAST_WAIT = Duration.ofMillis(1);

  /** A limit without room. */
  public record Full(String name, Optional<String> kind, Optional<String> scope) {
    JsonObject toJson() {
      JsonObject json = new JsonObject().put("limit", name);
      kind.ifPresent(it -> json.put("kind", it));
      scope.ifPresent(it -> json.put("scope", it));
      return json;
    }
  }

  /** @param at when it was, by Redis's clock */
  JsonObject toJson(Instant at, String node) {
    JsonObject json = new JsonObject()
        .put("id", event.id())
        .put("at", at.toString())
        .put("node", node)
        .put("tenant", asked.who().tenant())
        .put("key", asked.who().id())
        .put("plan", by.plan())
        .put("operation", by.operation())
        .put("cost", asked.cost())
        .put("outcome", answer.outcome())
        .put("reason", by.limit())
        .put("full", new JsonArray(answer.full().stream().map(Full::toJson).toList()));
    if (answer.full().isEmpty()) {
      ReasonCode.words(by.limit()).ifPresent(words -> json.put("why", words));
    }
    if (!answer.retryAfter().isZero()) {
      json.put(
              "retryAfterMs", answer.retryAfter().plus(LEAST_WAIT.minusNanos(1)).toMillis())
          .put("estimate", answer.estimate());
    }
    if (degraded) {
      json.put("degraded", true);
    }
    event.trace().ifPresent(it -> json.put("trace", it));
    asked.carried().ifPresent(it -> json.put(CARRIED, CarriedLimit.toJson(it)));
    return revision == 0 ? json : json.put("revision", revision);
  }
}
