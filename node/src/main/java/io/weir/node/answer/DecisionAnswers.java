package io.weir.node.answer;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Decision.Reason;
import io.weir.core.decision.Limit;
import io.weir.core.decision.Remarks;
import io.weir.core.kind.Congestion;
import java.math.BigDecimal;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Writes decisions as HTTP headers and problem details. A wait is always rounded up. */
public final class DecisionAnswers {
  /** draft-ietf-httpapi-ratelimit-headers-10, section 5.1. */
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  private static final CharSequence RATE_LIMIT = HttpHeaders.createOptimized("RateLimit");
  private static final CharSequence RATE_LIMIT_POLICY =
      HttpHeaders.createOptimized("RateLimit-Policy");
  private static final CharSequence DEGRADED = HttpHeaders.createOptimized("Weir-Degraded");
  private static final CharSequence DECISION = HttpHeaders.createOptimized("Weir-Decision");
  private static final CharSequence RETRY_AFTER_MS = HttpHeaders.createOptimized("Retry-After-Ms");
  private static final int USUAL_ITEM = 48;
  private static final int MAX_READY = 4096;
  /** Keyed by the list's identity, not by its content. */
  private static final ThreadLocal<Map<List<Demand>, CharSequence>> READY =
      ThreadLocal.withInitial(IdentityHashMap::new);

  private static final long MICROS_PER_MILLI = 1000;
  private static final long MILLIS_PER_SECOND = 1000;
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final Map<Reason, String> TITLES = Map.of(
      Reason.ACCESS_DISABLED, "Access is disabled by a limit of zero",
      Reason.OPERATION_NOT_CONFIGURED, "The operation is not configured",
      Reason.COST_EXCEEDS_CAPACITY, "The cost is above what the limit ever holds",
      Reason.RESERVATION_ENDED, "A reservation of this id has ended already",
      Reason.RESERVATION_ID_REUSED, "A reservation of this id is open for another request");

  private DecisionAnswers() {}

  private static JsonObject slot(Denied denied, JsonObject json) {
    json.put("retryAfterMs", retryAfterMillis(denied))
        .put("slotMs", retryAfterMillis(denied))
        .put("estimate", denied.estimate());
    denied.ticket().ifPresent(ticket -> json.put("ticket", ticket));
    denied.remarks().id().ifPresent(id -> json.put("id", id));
    return json;
  }

  /**
   * Adds the state of the limits ({@code RateLimit}, {@code RateLimit-Policy}: draft-ietf-httpapi-ratelimit-headers-10)
   * and, for a denial, the time to return (RFC 9110, section 10.2.3). A node that decided by itself adds {@code
   * Weir-Degraded}.
   */
  public static void addHeaders(Decision decision, MultiMap headers) {
    if (!decision.limits().isEmpty()) {
      headers.set(RATE_LIMIT_POLICY, policy(decision));
      headers.set(RATE_LIMIT, standing(decision.limits()));
    }
    if (!decision.remarks().equals(Remarks.NONE)) {
      addRemarks(decision.remarks(), headers);
    }
    if (decision.degraded()) {
      headers.set(DEGRADED, "shared-state-away");
    }
    if (decision instanceof Denied denied) {
      headers.set(
          HttpHeaders.RETRY_AFTER,
          Long.toString(ceil(denied.retryAfterMicros(), MICROS_PER_SECOND)));
      headers.set(RETRY_AFTER_MS, Long.toString(retryAfterMillis(denied)));
      denied.ticket().ifPresent(ticket -> headers.set(Tickets.RETRY_TICKET, ticket));
    }
  }

  private static void addRemarks(Remarks remarks, MultiMap headers) {
    remarks.id().ifPresent(id -> headers.set(DECISION, id));
    if (remarks.multiplierMillis() > Congestion.ONE) {
      headers.set("Weir-Multiplier", multiplier(remarks));
    }
    if (!remarks.paidBy().isEmpty()) {
      headers.set("Weir-Paid-By", String.join(", ", remarks.paidBy()));
    }
    if (!remarks.near().isEmpty()) {
      headers.set("Weir-Near-Limit", String.join(", ", remarks.near()));
    }
  }

  /** The multiplier as a decimal number. */
  public static String multiplier(Remarks remarks) {
    return BigDecimal.valueOf(remarks.multiplierMillis(), 3)
        .stripTrailingZeros()
        .toPlainString();
  }

  /** The gateway's answer to a denied request: 429. */
  public static ProblemDetails problem(Denied denied) {
    String title = "Request cannot be satisfied as assigned quota has been exceeded";
    JsonObject slot = slot(denied, new JsonObject());
    return new ProblemDetails(429, QUOTA_EXCEEDED, "quota_exceeded", title, slot)
        .with("violated-policies", new JsonArray(denied.full()))
        .with("full", new JsonArray(denied.full()))
        .with("limits", LimitsJson.full(denied))
        .with("revision", denied.revision());
  }

  /** The gateway's answer to a request that is never allowed: 422 for its cost, 403 otherwise. */
  public static ProblemDetails problem(NeverAllowed never) {
    Reason reason = never.reason();
    int status = switch (reason) {
      case COST_EXCEEDS_CAPACITY -> 422;
      case RESERVATION_ENDED, RESERVATION_ID_REUSED -> 409;
      case ACCESS_DISABLED, OPERATION_NOT_CONFIGURED -> 403;
    };
    ProblemDetails problem = ProblemDetails.of(
            status, reason.code(), TITLES.getOrDefault(reason, reason.code()))
        .with("full", new JsonArray(never.full()))
        .with("revision", never.revision());
    return never.remarks().id().map(id -> problem.with("id", id)).orElse(problem);
  }

  /** The wait of a denial in milliseconds. */
  public static long retryAfterMillis(Denied denied) {
    return ceil(denied.retryAfterMicros(), MICROS_PER_MILLI);
  }

  /** When a bucket is empty again, in milliseconds from now. */
  public static long resetMillis(Limit limit) {
    return ceil(limit.resetMicros(), MICROS_PER_MILLI);
  }

  // The header is the same for all decisions of an operation by a plan: cached per thread.
  private static CharSequence policy(Decision decision) {
    if (decision.demands().isEmpty()
        || decision.demands().size() != decision.limits().size()) {
      return policy(decision.limits());
    }
    Map<List<Demand>, CharSequence> ready = READY.get();
    if (ready.size() >= MAX_READY) {
      ready.clear();
    }
    return ready.computeIfAbsent(
        decision.demands(), demands -> HttpHeaders.createOptimized(policy(decision.limits())));
  }

  // "bucket";q=quota;w=seconds, …
  private static String policy(List<Limit> limits) {
    StringBuilder text = new StringBuilder(limits.size() * USUAL_ITEM);
    for (Limit limit : limits) {
      item(limit, text).append(";q=").append(limit.quota());
      if (limit.windowMillis() > 0) {
        text.append(";w=").append(ceil(limit.windowMillis(), MILLIS_PER_SECOND));
      }
    }
    return text.toString();
  }

  // "bucket";r=remaining;t=seconds, …
  private static String standing(List<Limit> limits) {
    StringBuilder text = new StringBuilder(limits.size() * USUAL_ITEM);
    for (Limit limit : limits) {
      item(limit, text)
          .append(";r=")
          .append(limit.remaining())
          .append(";t=")
          .append(ceil(limit.resetMicros(), MICROS_PER_SECOND));
    }
    return text.toString();
  }

  private static StringBuilder item(Limit limit, StringBuilder text) {
    return text.append(text.isEmpty() ? "\"" : ", \"").append(limit.bucket()).append('"');
  }

  private static long ceil(long value, long unit) {
    return (value + unit - 1) / unit;
  }
}
