package io.weir.node.check;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.bucket.Names;
import io.weir.node.answer.Tickets;
import io.weir.policy.CostRule;
import io.weir.slot.TicketRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a service asks.
 *
 * @param checks one or more
 * @param isList whether it came as a list and is answered as one
 */
record CheckRequest(List<Check> checks, boolean isList) {
  static final int MAX_CHECKS = 1000;

  private static final Set<String> FIELDS = Set.of("key", "subject", "operation", "cost", "ticket");
  private static final int MAX_SHOWN = 40;
  private static final int MAX_TICKET = 64;

  /**
   * One question. Exactly one of {@code key} and {@code subject} is there.
   *
   * @param ticket what the caller shows and wants
   * @param cost absent where the operation's own counts
   */
  record Check(
      Optional<String> key,
      Optional<String> subject,
      String operation,
      OptionalLong cost,
      TicketRequest ticket) {}

  /** @throws BadCheckException with every mistake */
  static CheckRequest parse(Buffer body) {
    JsonObject json = json(body);
    if (!json.containsKey("checks")) {
      List<String> mistakes = new ArrayList<>();
      Check check = check(json, "", mistakes);
      refuse(mistakes);
      return new CheckRequest(List.of(check), false);
    }
    return new CheckRequest(list(json), true);
  }

  private static List<Check> list(JsonObject json) {
    List<String> mistakes = new ArrayList<>();
    unknownFields(json, Set.of("checks"), "", mistakes);
    if (!(json.getValue("checks") instanceof JsonArray items) || items.isEmpty()) {
      throw new BadCheckException(List.of("checks: (expected: a list of at least one check)"));
    }
    if (items.size() > MAX_CHECKS) {
      throw new BadCheckException(
          List.of("checks: %d (expected: at most %d)".formatted(items.size(), MAX_CHECKS)));
    }
    List<Check> checks = new ArrayList<>(items.size());
    for (int i = 0; i < items.size(); i++) {
      String place = "checks[%d].".formatted(i);
      if (items.getValue(i) instanceof JsonObject item) {
        checks.add(check(item, place, mistakes));
      } else {
        mistakes.add("checks[%d]: (expected: an object)".formatted(i));
      }
    }
    refuse(mistakes);
    return checks;
  }

  private static Check check(JsonObject json, String place, List<String> mistakes) {
    unknownFields(json, FIELDS, place, mistakes);
    Optional<String> key = text(json, "key", place, mistakes);
    Optional<String> subject = text(json, "subject", place, mistakes);
    if (json.containsKey("key") == json.containsKey("subject")) {
      mistakes.add(place + "key: both or neither of key and subject (expected: exactly one)");
    }
    Optional<String> operation = text(json, "operation", place, mistakes).filter(Names::isName);
    if (operation.isEmpty()) {
      mistakes.add(place + "operation: (expected: a name, " + Names.NAME_PATTERN + ")");
    }
    return new Check(
        key,
        subject,
        operation.orElse(""),
        cost(json, place, mistakes),
        ticket(json, place, mistakes));
  }

  private static OptionalLong cost(JsonObject json, String place, List<String> mistakes) {
    if (!json.containsKey("cost")) {
      return OptionalLong.empty();
    }
    Object value = json.getValue("cost");
    boolean whole = value instanceof Integer || value instanceof Long;
    long cost = whole ? ((Number) value).longValue() : 0;
    if (cost < 1 || cost > CostRule.MAX_COST) {
      mistakes.add("%scost: %s (expected: a whole number from 1 to %d)"
          .formatted(place, shortened(String.valueOf(value)), CostRule.MAX_COST));
    }
    return OptionalLong.of(cost);
  }

  // true asks for one, a text shows one.
  private static TicketRequest ticket(JsonObject json, String place, List<String> mistakes) {
    Object value = json.getValue("ticket");
    if (value instanceof String text && text.length() <= MAX_TICKET) {
      return Tickets.of(Optional.of(text), true);
    }
    if (value instanceof Boolean wanted) {
      return Tickets.of(Optional.empty(), wanted);
    }
    if (json.containsKey("ticket")) {
      mistakes.add(place + "ticket: (expected: true, or a ticket of up to 64 characters)");
    }
    return TicketRequest.NONE;
  }

  // The value is not repeated: it may be a key.
  private static Optional<String> text(
      JsonObject json, String field, String place, List<String> mistakes) {
    if (!json.containsKey(field)) {
      return Optional.empty();
    }
    if (json.getValue(field) instanceof String text) {
      return Optional.of(text);
    }
    mistakes.add("%s%s: (expected: a text)".formatted(place, field));
    return Optional.empty();
  }

  private static void unknownFields(
      JsonObject json, Set<String> known, String place, List<String> mistakes) {
    for (String field : json.fieldNames()) {
      if (!known.contains(field)) {
        mistakes.add("%s%s: no such field (expected: %s)"
            .formatted(place, shortened(field), String.join(", ", new TreeSet<>(known))));
      }
    }
  }

  private static JsonObject json(Buffer body) {
    try {
      return new JsonObject(body);
    } catch (DecodeException | ClassCastException e) {
      throw new BadCheckException(List.of("the body is no JSON object"));
    }
  }

  private static void refuse(List<String> mistakes) {
    if (!mistakes.isEmpty()) {
      throw new BadCheckException(mistakes);
    }
  }

  private static String shortened(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
  }

  /** A request that cannot be understood. */
  static final class BadCheckException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int MAX_LISTED = 100;

    private final transient List<String> mistakes;

    BadCheckException(List<String> mistakes) {
      super("bad check", null, false, false);
      this.mistakes = mistakes.stream().limit(MAX_LISTED).toList();
    }

    List<String> mistakes() {
      return mistakes;
    }
  }
}
