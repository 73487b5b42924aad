package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.CommandRow;
import io.weir.node.command.CountWords;
import io.weir.node.command.RowCommand;
import io.weir.node.command.Table;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;

/** {@code weir audit drift}: whether the counters in Redis are those of what they stand for. */
final class DriftAudit {
  // In one answer: as in lua/lib/drift.lua.
  private static final int MOST_DIFFERENCES = 500;

  private DriftAudit() {}

  static CommandRow row() {
    return CommandRow.of(
            "drift",
            "Compares the counters in Redis with the jobs, requests and ranges that they stand for. "
                + "Fails if there are differences that it has not repaired.",
            DriftAudit::run)
        .flag("--repair", "sets each counter that differs to what was found")
        .number(
            "--entries",
            "N",
            2000,
            "the most entries of one queue or window; Redis serves nobody else while it compares one");
  }

  private static int run(RowCommand call) throws IOException {
    String path = "/v1/drift" + call.queryOf("entries=--entries");
    HttpResponse<String> answer =
        call.flag("--repair") ? call.send("POST", path, new JsonObject()) : call.get(path);
    int status = call.printed(answer, found -> print(call, found));
    return status == 0 && isLeft(JsonInput.object(answer.body())) ? 1 : status;
  }

  private static boolean isLeft(JsonObject found) {
    boolean isRepaired = found.getBoolean("repaired");
    return things(found)
        .anyMatch(one -> !one.getBoolean("compared")
            || one.getJsonArray("drift").size() >= MOST_DIFFERENCES
            || (!isRepaired && !one.getJsonArray("drift").isEmpty()));
  }

  private static Stream<JsonObject> things(JsonObject found) {
    return RowCommand.objects(found, "things").stream();
  }

  private static void print(RowCommand call, JsonObject found) {
    List<JsonObject> rows = things(found).flatMap(DriftAudit::rows).toList();
    Table.<JsonObject>of()
        .text("of", row -> row.getString("of"))
        .sentence("counter", row -> row.getString("place"))
        .number("counted", row -> Long.toString(row.getLong("counted")))
        .number("found", row -> Long.toString(row.getLong("found")))
        .print(rows, call.out());
    things(found)
        .filter(one -> !one.getBoolean("compared"))
        .map(one -> "%s %s is not compared: it has %d entries (see --entries)."
            .formatted(one.getString("kind"), one.getString("name"), one.getLong("entries")))
        .forEach(call.out()::println);
    long compared = things(found).filter(one -> one.getBoolean("compared")).count();
    call.out()
        .println("%d compared, %s%s."
            .formatted(
                compared,
                CountWords.of(rows.size(), "difference"),
                found.getBoolean("repaired") && !rows.isEmpty() ? ", repaired" : ""));
  }

  private static Stream<JsonObject> rows(JsonObject one) {
    return RowCommand.objects(one, "drift").stream()
        .map(drift -> drift.put("of", one.getString("kind") + " " + one.getString("name")));
  }
}
