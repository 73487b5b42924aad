package io.weir.node.answer;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.decision.Decision;
import io.weir.decision.Decision.Denied;
import io.weir.decision.Decision.NeverAllowed;
import io.weir.decision.Decision.Reason;
import io.weir.decision.Limit;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Decisions as callers read them. A wait is always rounded up. */
public final class DecisionAnswers {
  /** draft-ietf-httpapi-ratelimit-headers-10, section 5.1. */
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  private static final CharSequence RATE_LIMIT = HttpHeaders.createOptimized("RateLimit");
  private static final CharSequence RATE_LIMIT_POLICY =
      HttpHeaders.createOptimized("RateLimit-Policy");
  private static final CharSequence RETRY_AFTER_MS = HttpHeaders.createOptimized("Retry-After-Ms");
  private static final long MICROS_PER_MILLI = 1000;
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final Map<Reason, String> TITLES = Map.of(
      Reason.ACCESS_DISABLED, "Access is disabled by a limit of zero",
      Reason.OPERATION_NOT_CONFIGURED, "The operation is not configured",
      Reason.COST_EXCEEDS_CAPACITY, "The cost is above what the limit ever holds");

  private DecisionAnswers() {}

  /** The members of a decision in the check API. */
  public static JsonObject toJson(Decision decision) {
    JsonObject json = decision.fold(
        allowed -> outcome("allowed", List.of()).put("retryAfterMs", 0),
        denied -> slot(denied, outcome("denied", denied.full())),
        never ->
            outcome("never_allowed", never.full()).put("reason", never.reason().code()));
    return json.put("limits", limits(decision.limits())).put("revision", decision.revision());
  }

  private static JsonObject slot(Denied denied, JsonObject json) {
    json.put("retryAfterMs", retryAfterMillis(denied))
        .put("slotMs", retryAfterMillis(denied))
        .put("estimate", denied.estimate());
    denied.ticket().ifPresent(ticket -> json.put("ticket", ticket));
    return json;
  }

  private static JsonObject outcome(String word, List<String> full) {
    return new JsonObject().put("decision", word).put("full", new JsonArray(full));
  }

  /**
   * Tells how the limits stand ({@code RateLimit}, {@code RateLimit-Policy}:
   * draft-ietf-httpapi-ratelimit-headers-10) and, of a denial, when to come back (RFC 9110, section
   * 10.2.3).
   */
  public static void addHeaders(Decision decision, MultiMap headers) {
    if (!decision.limits().isEmpty()) {
      headers.set(RATE_LIMIT_POLICY, joined(decision.limits(), DecisionAnswers::policyItem));
      headers.set(RATE_LIMIT, joined(decision.limits(), DecisionAnswers::limitItem));
    }
    if (decision instanceof Denied denied) {
      headers.set(
          HttpHeaders.RETRY_AFTER,
          Long.toString(ceil(denied.retryAfterMicros(), MICROS_PER_SECOND)));
      headers.set(RETRY_AFTER_MS, Long.toString(retryAfterMillis(denied)));
      denied.ticket().ifPresent(ticket -> headers.set(Tickets.RETRY_TICKET, ticket));
    }
  }

  /** What the gateway answers to a request that may not pass now: 429. */
  public static ProblemDetails problem(Denied denied) {
    String title = "Request cannot be satisfied as assigned quota has been exceeded";
    JsonObject slot = slot(denied, new JsonObject());
    return new ProblemDetails(429, QUOTA_EXCEEDED, "quota_exceeded", title, slot)
        .with("violated-policies", new JsonArray(denied.full()))
        .with("full", new JsonArray(denied.full()))
        .with("revision", denied.revision());
  }

  /** What the gateway answers to a request that can never pass: 422 for its cost, 403 otherwise. */
  public static ProblemDetails problem(NeverAllowed never) {
    Reason reason = never.reason();
    int status = reason == Reason.COST_EXCEEDS_CAPACITY ? 422 : 403;
    return ProblemDetails.of(status, reason.code(), TITLES.getOrDefault(reason, reason.code()))
        .with("full", new JsonArray(never.full()))
        .with("revision", never.revision());
  }

  private static JsonArray limits(List<Limit> limits) {
    JsonArray array = new JsonArray();
    for (Limit limit : limits) {
      array.add(new JsonObject()
          .put("bucket", limit.bucket())
          .put("remaining", limit.remaining())
          .put("resetMs", ceil(limit.resetMicros(), MICROS_PER_MILLI)));
    }
    return array;
  }

  private static long retryAfterMillis(Denied denied) {
    return ceil(denied.retryAfterMicros(), MICROS_PER_MILLI);
  }

  private static String policyItem(Limit limit) {
    long windowSeconds = ceil(limit.windowMillis(), 1000);
    return "\"" + limit.bucket() + "\";q=" + limit.quota() + ";w=" + windowSeconds;
  }

  private static String limitItem(Limit limit) {
    long resetSeconds = ceil(limit.resetMicros(), MICROS_PER_SECOND);
    return "\"" + limit.bucket() + "\";r=" + limit.remaining() + ";t=" + resetSeconds;
  }

  private static String joined(List<Limit> limits, Function<Limit, String> item) {
    return limits.size() == 1
        ? item.apply(limits.get(0))
        : limits.stream().map(item).collect(Collectors.joining(", "));
  }

  private static long ceil(long value, long unit) {
    return (value + unit - 1) / unit;
  }
}
