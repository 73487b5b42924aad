package io.weir.keys.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.RateWords;
import io.weir.node.command.RowCommand;
import io.weir.node.command.Table;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code weir audit}: the last changes of keys, tenants and tokens. */
final class Audit {
  /** The most characters that are shown of a text, such as a note. */
  private static final int MOST_SHOWN = 40;

  private Audit() {}

  static CommandRow row() {
    return CommandRow.of(
            "audit",
            "Shows the last changes of keys, tenants and tokens, the newest first.",
            call -> call.listed(
                call.get("/v1/audit" + call.queryOf("limit=--limit")),
                "lines",
                "Nothing has been changed yet.",
                table(call)))
        .number("--limit", "N", 50, "how many at most, up to 1000");
  }

  private static Table<JsonObject> table(RowCommand call) {
    return Table.<JsonObject>of()
        .number("ago", line -> Ago.since(line.getString("at"), call.now()))
        .text("who", line -> line.getString("who"))
        .text("what", line -> line.getString("what"))
        .text("record", line -> line.getString("record"))
        .sentence("change", line -> difference(line, call.now()));
  }

  // The fields that differ, without those that differ each time.
  private static String difference(JsonObject line, Instant now) {
    JsonObject before = line.getJsonObject("before", new JsonObject());
    JsonObject after = line.getJsonObject("after", new JsonObject());
    if (after.containsKey("reset")) {
      return limits(after.getJsonArray("reset"));
    }
    TreeSet<String> names = new TreeSet<>(before.fieldNames());
    names.addAll(after.fieldNames());
    names.removeAll(Set.of("version", "changed", "created", "id", "secrets"));
    return names.stream()
        .filter(name ->
            !String.valueOf(before.getValue(name)).equals(String.valueOf(after.getValue(name))))
        .map(name -> "%s: %s → %s"
            .formatted(name, shown(before.getValue(name), now), shown(after.getValue(name), now)))
        .collect(Collectors.joining(", "));
  }

  // Some queues have no limit of their own: those of tickets.
  private static String limits(JsonArray reset) {
    return reset.stream()
        .map(JsonObject.class::cast)
        .filter(one -> one.getLong("waiting", 1L) > 0)
        .map(one -> one.getString("limit", "tickets"))
        .distinct()
        .collect(Collectors.joining(", "));
  }

  private static String shown(@Nullable Object value, Instant now) {
    if (value instanceof JsonArray list) {
      return list.stream().map(one -> shown(one, now)).collect(Collectors.joining(", "));
    }
    if (value instanceof JsonObject json) {
      return isOverride(json)
          ? override(json, now)
          : json.stream()
              .map(one -> one.getKey() + " " + shown(one.getValue(), now))
              .collect(Collectors.joining(", "));
    }
    return value == null ? "–" : begin(String.valueOf(value));
  }

  private static String begin(String text) {
    return text.codePointCount(0, text.length()) <= MOST_SHOWN
        ? text
        : text.substring(0, text.offsetByCodePoints(0, MOST_SHOWN - 1)) + "…";
  }

  private static boolean isOverride(JsonObject json) {
    return json.containsKey("bucket") || json.containsKey("limits");
  }

  // The words of the page.
  private static String override(JsonObject json, Instant now) {
    Object opsPerSec = json.getValue("opsPerSec");
    Object size = opsPerSec instanceof Number number
        ? RateWords.of(number.doubleValue())
        : json.getValue("rate", json.getValue("limit", ""));
    String until = json.getString("until", "");
    return "%s %s%s"
        .formatted(
            json.getString("bucket", json.getString("limits")),
            size,
            until.isEmpty() ? "" : " " + Ago.sentence("until " + until, now));
  }
}
