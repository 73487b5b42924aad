package io.weir.node.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints an object for people: a line for each member, and its lists of objects as tables. */
final class Members {
  private static final String INSTANT = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z";

  private static final String RATE = "opsPerSec";
  private static final String MILLIS = "Ms$";

  private Members() {}

  static void print(JsonObject json, PrintWriter out, Instant now) {
    Map<String, String> fields = new LinkedHashMap<>();
    json.stream()
        .filter(one -> rows(one.getValue()).isEmpty())
        .forEach(one -> fields.put(one.getKey(), inLine(one.getValue(), now)));
    fields.values().removeIf(String::isEmpty);
    Rows.print(fields, out);
    json.forEach(one -> print(one.getKey(), rows(one.getValue()), out, now));
  }

  private static List<JsonObject> rows(Object value) {
    return value instanceof JsonArray list && list.stream().allMatch(JsonObject.class::isInstance)
        ? list.stream()
            .map(JsonObject.class::cast)
            .filter(row -> !row.isEmpty())
            .toList()
        : List.of();
  }

  private static void print(String name, List<JsonObject> rows, PrintWriter out, Instant now) {
    if (rows.isEmpty()) {
      return;
    }
    Table<JsonObject> table = Table.of();
    for (String field : rows.stream()
        .flatMap(row -> row.fieldNames().stream())
        .collect(Collectors.toCollection(LinkedHashSet::new))) {
      table = table.text(label(field), row -> row.containsKey(field) ? shown(row, field, now) : "");
    }
    out.printf("%n%s:%n", name);
    table.print(rows, out);
  }

  private static String label(String field) {
    return field.equals(RATE) ? "rate" : field.replaceFirst(MILLIS, "");
  }

  // A slow rate has no digits per second that anybody reads.
  private static String shown(JsonObject row, String field, Instant now) {
    Object value = row.getValue(field);
    if (value instanceof Number number && field.equals(RATE)) {
      return RateWords.of(number.doubleValue());
    }
    return value instanceof Number number && !label(field).equals(field)
        ? Ago.precisely(number.longValue())
        : inLine(value, now);
  }

  private static String inLine(Object value, Instant now) {
    if (value instanceof JsonObject object) {
      return object.stream()
          .map(one ->
              (one.getKey().equals("at") ? "" : one.getKey() + " ") + inLine(one.getValue(), now))
          .collect(Collectors.joining(", "));
    }
    if (value instanceof JsonArray list) {
      return list.stream()
          .map(one -> inLine(one, now))
          .filter(text -> !text.isEmpty())
          .collect(Collectors.joining(", "));
    }
    String text = String.valueOf(value);
    return value instanceof Double number
        ? BigDecimal.valueOf(number).stripTrailingZeros().toPlainString()
        : text.matches(INSTANT) ? Ago.words(text, now) : text;
  }
}
