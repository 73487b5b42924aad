package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.CommandRow;
import io.weir.node.command.RowCommand;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** {@code weir audit}: the last changes of keys, tenants and tokens. */
final class Audit {
  private Audit() {}

  static CommandRow row() {
    return CommandRow.of(
            "audit",
            "Shows the last changes of keys, tenants and tokens, the newest first.",
            call -> call.printed(
                call.get("/v1/audit" + call.queryOf("limit=--limit")), found -> print(call, found)))
        .number("--limit", "N", 50, "how many at most, up to 1000");
  }

  private static void print(RowCommand call, JsonObject found) {
    found.getJsonArray("lines").stream()
        .map(JsonObject.class::cast)
        .forEach(line -> call.out()
            .printf(
                "%s  %-12s  %-9s  %-28s  %s%n",
                line.getString("at"),
                line.getString("who"),
                line.getString("what"),
                line.getString("record"),
                difference(line)));
  }

  // The fields that differ, without those that differ each time.
  private static String difference(JsonObject line) {
    JsonObject before = line.getJsonObject("before", new JsonObject());
    JsonObject after = line.getJsonObject("after", new JsonObject());
    TreeSet<String> names = new TreeSet<>(before.fieldNames());
    names.addAll(after.fieldNames());
    names.removeAll(Set.of("version", "changed", "created", "id"));
    return names.stream()
        .filter(name ->
            !String.valueOf(before.getValue(name)).equals(String.valueOf(after.getValue(name))))
        .map(name -> "%s: %s → %s".formatted(name, shown(before, name), shown(after, name)))
        .collect(Collectors.joining(", "));
  }

  private static String shown(JsonObject json, String name) {
    return json.containsKey(name) ? String.valueOf(json.getValue(name)) : "–";
  }
}
