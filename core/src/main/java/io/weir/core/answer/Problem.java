package io.weir.core.answer;

import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Decision.Reason;
import io.weir.core.decision.Limit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A refusal as of RFC 9457.
 *
 * @param status the HTTP status
 * @param type a URI that names the kind of problem
 * @param code the kind in one word
 * @param title the description, the same for all problems of this kind
 * @param more further members: texts, numbers, booleans, and lists and maps of these
 */
public record Problem(
    int status, String type, String code, String title, Map<String, Object> more) {
  /** The media type of a problem in JSON. */
  public static final String MEDIA_TYPE = "application/problem+json";

  /** draft-ietf-httpapi-ratelimit-headers-10, section 5.1. */
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  private static final Set<String> OWN = Set.of("type", "title", "status", "code");

  private static final Map<Reason, String> TITLES = Map.of(
      Reason.ACCESS_DISABLED, "Access is disabled by a limit of zero",
      Reason.OPERATION_NOT_CONFIGURED, "The operation is not configured",
      Reason.COST_EXCEEDS_CAPACITY, "The cost is above what the limit ever holds",
      Reason.RESERVATION_ENDED, "A reservation of this id has ended already",
      Reason.RESERVATION_ID_REUSED, "A reservation of this id is open for another request");

  public Problem {
    if (!Collections.disjoint(OWN, more.keySet())) {
      throw new IllegalArgumentException(
          "more: %s (expected: none of %s)".formatted(more.keySet(), OWN));
    }
    more = Collections.unmodifiableMap(new LinkedHashMap<>(more));
  }

  /** A problem of Weir's own kind. */
  public static Problem of(int status, String code, String title) {
    return new Problem(status, "urn:weir:problem:" + code, code, title, Map.of());
  }

  /** The answer to a request that names no caller: 401. */
  public static Problem keyMissing() {
    return of(401, "key_missing", "The request names no caller that has limits");
  }

  /** The answer to a request whose key is not known: 401. */
  public static Problem keyInvalid() {
    return of(401, "key_invalid", "The API key is not known");
  }

  /** The answer to a request that is not allowed, now or ever. */
  public static Problem refusing(String operation, Decision decision) {
    return decision.fold(
        allowed -> {
          throw new IllegalArgumentException("an allowed request is not refused");
        },
        denied -> {
          Map<String, Object> more = members(denied);
          more.put("operation", operation);
          return denied(more);
        },
        never -> of(never).with("operation", operation));
  }

  /** Redis did not answer: 503. */
  public static Problem unavailable() {
    return of(503, "store_unavailable", "Redis did not answer in time");
  }

  private static Map<String, Object> members(Denied denied) {
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("retryAfterMs", AnswerFields.retryAfterMillis(denied));
    more.put("slotMs", AnswerFields.retryAfterMillis(denied));
    more.put("estimate", denied.estimate());
    denied.ticket().ifPresent(ticket -> more.put("ticket", ticket));
    denied.remarks().id().ifPresent(id -> more.put("id", id));
    more.put("violated-policies", denied.full());
    more.put("full", denied.full());
    more.put("limits", limits(denied));
    more.put("revision", denied.revision());
    return more;
  }

  private static Problem denied(Map<String, Object> more) {
    return new Problem(
        429,
        QUOTA_EXCEEDED,
        "quota_exceeded",
        "Request cannot be satisfied as assigned quota has been exceeded",
        more);
  }

  /** The answer to a request that is never allowed: 422 for its cost, 409 for its id, 403 otherwise. */
  public static Problem of(NeverAllowed never) {
    Reason reason = never.reason();
    int status = switch (reason) {
      case COST_EXCEEDS_CAPACITY -> 422;
      case RESERVATION_ENDED, RESERVATION_ID_REUSED -> 409;
      case ACCESS_DISABLED, OPERATION_NOT_CONFIGURED -> 403;
    };
    Problem problem = of(status, reason.code(), TITLES.getOrDefault(reason, reason.code()))
        .with("full", never.full())
        .with("revision", never.revision());
    return never.remarks().id().map(id -> problem.with("id", id)).orElse(problem);
  }

  /** The same with another member. */
  public Problem with(String name, Object value) {
    Map<String, Object> all = new LinkedHashMap<>(more);
    all.put(name, value);
    return new Problem(status, type, code, title, all);
  }

  /** The same with another status. */
  public Problem withStatus(int other) {
    return new Problem(other, type, code, title, more);
  }

  /** The same with another code. */
  public Problem withCode(String other) {
    return new Problem(status, type, other, title, more);
  }

  /** All members of the answer, in their order. */
  public Map<String, Object> members() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("type", type);
    all.put("title", title);
    all.put("status", status);
    all.put("code", code);
    all.putAll(more);
    return all;
  }

  // The full limits, with their kind and scope.
  private static List<Map<String, Object>> limits(Denied denied) {
    List<Map<String, Object>> limits = new ArrayList<>(denied.full().size());
    for (Limit limit : denied.limits()) {
      if (denied.full().contains(limit.bucket())) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("name", limit.bucket());
        one.put("kind", limit.kind().word());
        one.put("scope", wordOf(limit.scope()));
        limits.add(one);
      }
    }
    return Collections.unmodifiableList(limits);
  }

  /** The word for a scope in answers. */
  public static String wordOf(Scope scope) {
    return switch (scope) {
      case KEY -> "key";
      case TENANT -> "tenant";
      case CLUSTER -> "cluster";
    };
  }
}
