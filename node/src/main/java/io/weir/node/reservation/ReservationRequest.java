package io.weir.node.reservation;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.weir.bucket.Names;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.policy.CostRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a service reserves.
 *
 * @param subject the id of the API key
 * @param cost in operations; nothing for the operation's own
 * @param id its own name for the reservation, or nothing
 * @param leaseMicros until when it has to be settled or renewed, or nothing
 */
record ReservationRequest(
    String subject,
    String operation,
    OptionalLong cost,
    Optional<String> id,
    OptionalLong leaseMicros) {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final Set<String> FIELDS = Set.of("subject", "operation", "cost", "id", "leaseMs");
  private static final long MAX_LEASE_MILLIS = 3_600_000;
  private static final int MAX_SHOWN = 40;

  static ReservationRequest parse(Buffer body) {
    Fields fields = new Fields(body, FIELDS);
    String subject = fields.text("subject", Names::isId, Names.ID_PATTERN).orElse("");
    String operation =
        fields.text("operation", Names::isName, Names.NAME_PATTERN).orElse("");
    fields.require("subject");
    fields.require("operation");
    OptionalLong cost = fields.whole("cost", 1, CostRule.MAX_COST);
    Optional<String> id = fields.text("id", ID.asMatchPredicate(), ID.pattern());
    OptionalLong lease = fields.whole("leaseMs", 100, MAX_LEASE_MILLIS);
    fields.refuseMistakes();
    OptionalLong micros =
        lease.isPresent() ? OptionalLong.of(lease.getAsLong() * 1000) : OptionalLong.empty();
    return new ReservationRequest(subject, operation, cost, id, micros);
  }

  /** What a request has cost in the end, from 0 on. */
  static long cost(Buffer body) {
    Fields fields = new Fields(body, Set.of("cost"));
    fields.require("cost");
    OptionalLong cost = fields.whole("cost", 0, CostRule.MAX_COST);
    fields.refuseMistakes();
    return cost.orElse(0);
  }

  /** The fields of a small object, and what is wrong with them. Mutable; for one body. */
  private static final class Fields {
    private final JsonObject json;
    private final List<String> mistakes = new ArrayList<>(0);

    Fields(Buffer body, Set<String> known) {
      this.json = read(body);
      json.fieldNames().stream()
          .filter(name -> !known.contains(name))
          .map(name -> "%s: no such field (expected: %s)"
              .formatted(
                  shortened(name), known.stream().sorted().collect(Collectors.joining(", "))))
          .limit(MAX_SHOWN)
          .forEach(mistakes::add);
    }

    private static JsonObject read(Buffer body) {
      try {
        return new JsonObject(body);
      } catch (DecodeException | ClassCastException e) {
        throw refused(List.of("the body is no JSON object"));
      }
    }

    void require(String field) {
      if (!json.containsKey(field)) {
        mistakes.add(field + ": nothing (expected: a value)");
      }
    }

    Optional<String> text(String field, Predicate<String> accepts, String expected) {
      Object value = json.getValue(field);
      if (value instanceof String text && accepts.test(text)) {
        return Optional.of(text);
      }
      if (json.containsKey(field)) {
        mistakes.add("%s: (expected: %s)".formatted(field, expected));
      }
      return Optional.empty();
    }

    OptionalLong whole(String field, long min, long max) {
      Object value = json.getValue(field);
      boolean isWhole = value instanceof Integer || value instanceof Long;
      if (isWhole && ((Number) value).longValue() >= min && ((Number) value).longValue() <= max) {
        return OptionalLong.of(((Number) value).longValue());
      }
      if (json.containsKey(field)) {
        mistakes.add("%s: (expected: a whole number from %d to %d)".formatted(field, min, max));
      }
      return OptionalLong.empty();
    }

    void refuseMistakes() {
      if (!mistakes.isEmpty()) {
        throw refused(mistakes);
      }
    }

    private static RefusedException refused(List<String> mistakes) {
      return new RefusedException(ProblemDetails.badRequest("reservation_invalid", mistakes));
    }

    private static String shortened(String text) {
      return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }
  }
}
