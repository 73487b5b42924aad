package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.RowCommand;
import io.weir.node.command.Table;
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
        .sentence("change", Audit::difference);
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
