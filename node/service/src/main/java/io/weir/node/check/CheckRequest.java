package io.weir.node.check;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.weir.core.bucket.Names;
import io.weir.core.policy.CostRule;
import io.weir.core.slot.TicketRequest;
import io.weir.node.admission.WaitingDecider;
import io.weir.node.answer.Tickets;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A parsed request of a service.
 *
 * @param checks one or more
 * @param isList whether the request is a list and is answered as one
 */
record CheckRequest(List<Check> checks, boolean isList) {
  static final int MAX_CHECKS = 1000;

  private static final int MAX_SHOWN = 40;

  /**
   * One check. Exactly one of {@code key} and {@code subject} is present.
   *
   * @param ticket the ticket that the caller shows or asks for
   * @param waitMillis how long the caller waits for its slot
   */
  record Check(
      Optional<String> key,
      Optional<String> subject,
      String operation,
      Price price,
      TicketRequest ticket,
      long waitMillis) {}

  /**
   * The cost that the caller names.
   *
   * @param cost absent if the operation's own cost counts
   * @param atLeast the least of it that the caller accepts; absent for all or nothing
   */
  record Price(OptionalLong cost, OptionalLong atLeast) {}

  /** @throws BadCheckException with all mistakes */
  static CheckRequest parse(byte[] body) {
    try (JsonParser json = JsonInput.parser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw noObject(json.currentToken() == null ? JsonInput.NOTHING : JsonInput.OTHER_VALUE);
      }
      List<String> mistakes = new ArrayList<>(0);
      CheckRequest request = request(json, mistakes);
      if (json.nextToken() != null) {
        throw noObject(JsonInput.SEVERAL_VALUES);
      }
      if (!mistakes.isEmpty()) {
        throw new BadCheckException(mistakes);
      }
      return request;
    } catch (IOException e) {
      throw noObject(JsonInput.fault(e));
    }
  }

  private static CheckRequest request(JsonParser json, List<String> mistakes) throws IOException {
    Draft draft = new Draft("");
    List<Check> list = null;
    String field = json.nextFieldName();
    while (field != null) {
      json.nextToken();
      if (field.equals("checks")) {
        list = list(json, mistakes);
      } else {
        draft.read(field, json);
      }
      field = json.nextFieldName();
    }
    if (list == null) {
      return new CheckRequest(List.of(draft.check(mistakes)), false);
    }
    draft.fields.stream()
        .map(other -> "%s: no such field (expected: checks)".formatted(shortened(other)))
        .forEach(mistakes::add);
    return new CheckRequest(list, true);
  }

  private static List<Check> list(JsonParser json, List<String> mistakes) throws IOException {
    List<Check> checks = new ArrayList<>();
    int count = 0;
    if (json.currentToken() == JsonToken.START_ARRAY) {
      while (json.nextToken() != JsonToken.END_ARRAY) {
        if (count >= MAX_CHECKS) {
          throw new BadCheckException(List.of(
              "checks: more than %d (expected: at most %d)".formatted(MAX_CHECKS, MAX_CHECKS)));
        } else if (json.currentToken() == JsonToken.START_OBJECT) {
          checks.add(check(json, "checks[%d].".formatted(count), mistakes));
        } else {
          json.skipChildren();
          mistakes.add("checks[%d]: (expected: an object)".formatted(count));
        }
        count++;
      }
    } else {
      json.skipChildren();
    }
    if (count == 0) {
      mistakes.add("checks: (expected: a list of at least one check)");
    }
    return checks;
  }

  private static Check check(JsonParser json, String place, List<String> mistakes)
      throws IOException {
    Draft draft = new Draft(place);
    String field = json.nextFieldName();
    while (field != null) {
      json.nextToken();
      draft.read(field, json);
      field = json.nextFieldName();
    }
    return draft.check(mistakes);
  }

  private static String shortened(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
  }

  private static BadCheckException noObject(String why) {
    return new BadCheckException(List.of(JsonInput.mistake(why)));
  }

  /** A check while it is being read. Mutable; for one object of the body. */
  private static final class Draft {
    private static final OptionalLong NO_COST = OptionalLong.empty();

    private final String place;
    private final List<String> fields = new ArrayList<>(4);
    private final List<String> mistakes = new ArrayList<>(0);
    private @Nullable String key;
    private @Nullable String subject;
    private @Nullable String operation;
    private OptionalLong cost = NO_COST;
    private OptionalLong atLeast = NO_COST;
    private TicketRequest ticket = TicketRequest.NONE;
    private long waitMillis;

    Draft(String place) {
      this.place = place;
    }

    // The parser is at the value of the field, and at its end afterwards.
    void read(String field, JsonParser json) throws IOException {
      if (fields.contains(field)) {
        mistake("%s%s: twice (expected: once)".formatted(place, shortened(field)));
        json.skipChildren();
        return;
      }
      fields.add(field);
      switch (field) {
        case "key" -> key = text(field, json);
        case "subject" -> subject = text(field, json);
        case "operation" -> operation = text(field, json);
        case "cost" -> cost = cost("cost", json);
        case "atLeast" -> atLeast = cost("atLeast", json);
        case "ticket" -> ticket = ticket(json);
        case "waitForMs" -> waitMillis = waitMillis(json);
        default ->
          mistake(
              "%s%s: no such field (expected: atLeast, cost, key, operation, subject, ticket, waitForMs)"
                  .formatted(place, shortened(field)));
      }
      json.skipChildren();
    }

    private void mistake(String text) {
      mistakes.add(text);
      if (mistakes.size() >= BadCheckException.MAX_LISTED) {
        throw new BadCheckException(mistakes);
      }
    }

    Check check(List<String> all) {
      all.addAll(mistakes);
      if (all.size() >= BadCheckException.MAX_LISTED) {
        throw new BadCheckException(all);
      }
      if (fields.contains("key") == fields.contains("subject")) {
        all.add(place + "key: both or neither of key and subject (expected: exactly one)");
      }
      String named = operation;
      if (named == null || !Names.isName(named)) {
        all.add(place + "operation: (expected: a name, " + Names.NAME_PATTERN + ")");
        named = "";
      }
      boolean isCostRead = cost.isEmpty() || cost.getAsLong() > 0;
      if (isCostRead && atLeast.orElse(0) > cost.orElse(0)) {
        all.add(place + "atLeast: above the cost, or without one (expected: at most the cost)");
      }
      return new Check(
          Optional.ofNullable(key),
          Optional.ofNullable(subject),
          named,
          new Price(cost, atLeast),
          ticket,
          waitMillis);
    }

    private OptionalLong cost(String field, JsonParser json) throws IOException {
      return OptionalLong.of(whole(field, 1, CostRule.MAX_COST, json));
    }

    // The answer to a list is one: it would wait for the last of them.
    private long waitMillis(JsonParser json) throws IOException {
      if (!place.isEmpty()) {
        mistakes.add(place + "waitForMs: in a list (expected: in a check by itself)");
      }
      return whole("waitForMs", 0, WaitingDecider.MAX_WAIT_MILLIS, json);
    }

    private long whole(String field, long least, long most, JsonParser json) throws IOException {
      boolean isWhole = json.currentToken() == JsonToken.VALUE_NUMBER_INT
          && json.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
      long value = isWhole ? json.getLongValue() : -1;
      if (value < least || value > most) {
        mistakes.add("%s%s: %s (expected: a whole number from %d to %d)"
            .formatted(place, field, shown(json), least, most));
      }
      return value;
    }

    // A text has quotes: "1" is not 1.
    private static String shown(JsonParser json) throws IOException {
      if (json.currentToken() == JsonToken.VALUE_STRING) {
        return '"' + shortened(json.getText()) + '"';
      }
      return json.currentToken().isScalarValue() ? shortened(json.getText()) : "something else";
    }

    // true asks for a ticket, a text shows one.
    private TicketRequest ticket(JsonParser json) throws IOException {
      JsonToken token = json.currentToken();
      if (token.isBoolean()) {
        return Tickets.of(Optional.empty(), token == JsonToken.VALUE_TRUE);
      }
      if (token == JsonToken.VALUE_STRING && json.getTextLength() <= TicketRequest.MAX_LENGTH) {
        return Tickets.of(Optional.of(json.getText()), true);
      }
      mistakes.add("%sticket: (expected: true, or a ticket of up to %d characters)"
          .formatted(place, TicketRequest.MAX_LENGTH));
      return TicketRequest.NONE;
    }

    // The value is not repeated: it may be a key.
    private @Nullable String text(String field, JsonParser json) throws IOException {
      if (json.currentToken() == JsonToken.VALUE_STRING) {
        return json.getText();
      }
      mistakes.add("%s%s: (expected: a text)".formatted(place, field));
      return null;
    }
  }

  /** A request that cannot be understood. */
  static final class BadCheckException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    static final int MAX_LISTED = 100;

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
