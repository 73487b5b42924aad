package io.weir.operators.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.CountWords;
import io.weir.node.command.RateWords;
import io.weir.node.command.RowCommand;
import io.weir.node.command.Table;
import io.weir.node.command.Wrapped;
import io.weir.node.contexts.KnownNodes;
import io.weir.operators.replay.ReplayCommand;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** The commands of operators who look: each but the replay is a row. */
public final class InsightCommands {
  private InsightCommands() {}

  /**
   * All of them, as picocli objects.
   *
   * @param nodes the admin port that they ask
   */
  public static List<Object> all(KnownNodes nodes) {
    return List.of(
        RowCommand.of(Status.row(), nodes),
        RowCommand.of(Top.row(), nodes),
        RowCommand.of(Denials.row(), nodes),
        RowCommand.of(Work.row(), nodes),
        RowCommand.of(explain(), nodes),
        RowCommand.of(reset(), nodes),
        RowCommand.group(
            "warnings",
            "Shows who is warned of which limits, and sends a message to try.",
            Warnings.rows().stream().map(row -> RowCommand.of(row, nodes)).toList()),
        new ReplayCommand());
  }

  private static CommandRow explain() {
    return CommandRow.of(
            "explain",
            "Shows the decision on a request at this moment, and why, limit by limit. Nothing is taken.",
            call -> {
              String query = call.queryOf("key=KEY", "operation=OPERATION", "cost=--cost");
              return call.printed(call.get("/v1/explain" + query), found -> explained(call, found));
            })
        .argument("KEY", "id of a key, or name of a subject")
        .optionalArgument("OPERATION", "operation, as the policy names it; without one all of them")
        .option("--cost", "N", "cost in operations (default: the operation's own)")
        .watched();
  }

  // The words are verdicts on the operations, a sentence for each limit, and what else there is.
  private static void explained(RowCommand call, JsonObject found) {
    List<String> words =
        found.getJsonArray("words").stream().map(String::valueOf).toList();
    int decisions = Math.max(1, RowCommand.objects(found, "decisions").size());
    int verdicts = found.getInteger("verdicts", decisions); // a node of an older version has none
    List<JsonObject> limits = RowCommand.objects(found, "limits");
    Instant at = Instant.parse(found.getString("at"));
    words.stream()
        .limit(verdicts)
        .forEach(line -> call.out().println(Wrapped.text(line, Table.WIDTH)));
    Table.<JsonObject>of()
        .text("limit", one -> one.getString("limit"))
        .number("used", one -> "%d of %d".formatted(one.getLong("used"), one.getLong("capacity")))
        .whole("", InsightCommands::standing)
        .whole("rate", InsightCommands::rate)
        .whole("of", one -> one.getString("scope"))
        .whole("from", one -> one.getString("from"))
        .whole("all free", one -> allFree(one, at))
        .print(limits, call.out());
    words.stream()
        .skip((long) verdicts + limits.size())
        .forEach(line -> call.out().println(Wrapped.text(Ago.sentence(line, at), Table.WIDTH)));
  }

  // A limit that denies nobody says so, however full it is.
  private static String standing(JsonObject limit) {
    if (limit.getBoolean("audit", false)) {
      return "audit";
    }
    if (limit.getBoolean("soft", false)) {
      return "warns";
    }
    return limit.getBoolean("full") ? "full" : "";
  }

  private static String allFree(JsonObject limit, Instant at) {
    if (limit.getLong("used") == 0) {
      return "now";
    }
    return limit.getString("kind").equals("permit")
        ? "" // it is not known when its requests end
        : Ago.ahead(limit.getString("emptyAt", limit.getString("resetAt", "")), at);
  }

  private static String rate(JsonObject limit) {
    return limit.containsKey("opsPerSec")
        ? RateWords.of(limit.getDouble("opsPerSec"))
        : limit.getString("kind");
  }

  private static CommandRow reset() {
    return CommandRow.of(
            "reset",
            "Forgets what a key or a tenant has used: its rates, its quotas and its queue. The limits "
                + "stay as they are, and so does the usage of limits that it shares with other keys.",
            call -> call.printed(
                call.send(
                    "POST",
                    "/v1/reset" + (call.flag("--dry-run") ? "?dryRun=true" : ""),
                    wish(call)),
                found -> print(call, found.getJsonArray("reset"))))
        .argument("KEY", "id of a key, or TENANT/ for the limits that the keys of a tenant share")
        .repeated("--limit", "NAME", "only this bucket or quota")
        .flag("--queue", "with --limit: the queue, too")
        .flag("--dry-run", "lists the usage that would be forgotten, and forgets nothing");
  }

  private static JsonObject wish(RowCommand call) throws IOException {
    String owner = call.text("KEY");
    JsonObject body = owner.endsWith("/")
        ? new JsonObject().put("tenant", owner.substring(0, owner.length() - 1))
        : new JsonObject().put("key", call.key("KEY"));
    List<String> limits = call.texts("--limit");
    return limits.isEmpty()
        ? body
        : body.put("limits", new JsonArray(limits)).put("queue", call.flag("--queue"));
  }

  private static void print(RowCommand call, JsonArray reset) {
    List<String> lines = reset.stream()
        .map(JsonObject.class::cast)
        .filter(one -> one.getLong("waiting", 1L) > 0)
        .map(InsightCommands::line)
        .map(Wrapped::lines)
        .toList();
    if (lines.isEmpty()) {
      call.out().println("Nothing was used.");
    }
    lines.forEach(call.out()::println);
  }

  private static String line(JsonObject one) {
    String what = one.getString("limit", "");
    return switch (one.getString("kind")) {
      case "rate" ->
        "%s: without a reset all free in %s"
            .formatted(what, Ago.precisely(one.getLong("emptyInMs")));
      case "quota" -> "%s: %d used".formatted(what, one.getLong("used"));
      default ->
        what.isEmpty()
            ? "tickets: %d open".formatted(one.getLong("waiting"))
            : "%s: callers wait for %s"
                .formatted(what, CountWords.of(one.getLong("waiting"), "slot"));
    };
  }
}
