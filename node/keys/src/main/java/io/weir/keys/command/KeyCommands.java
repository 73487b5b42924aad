package io.weir.keys.command;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.weir.keys.record.InstantText;
import io.weir.node.command.AdminCommand;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.RowCommand;
import io.weir.node.command.Table;
import io.weir.node.contexts.KnownNodes;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;

/** The commands for keys, tenants, tokens of operators, and the audit: each is a row. */
public final class KeyCommands {
  private static final String TOKENS = "/v1/tokens";
  private static final String EXPIRES = "an instant, or 30d from now";

  private KeyCommands() {}

  /**
   * All of them, as picocli objects.
   *
   * @param nodes the admin port that they ask
   */
  public static List<Object> all(KnownNodes nodes) {
    CommandLine keys = group(
            "keys",
            "Makes, lists, changes and ends API keys outside of the policy.",
            Stream.concat(records("keys").stream(), Stream.of(rotate(), export()))
                .toList(),
            nodes)
        .addSubcommand(new KeyImport(nodes));
    CommandLine tenants =
        group("tenants", "Settings of tenants outside of the policy.", records("tenants"), nodes);
    CommandLine tokens =
        group("tokens", "Tokens of operators, each with a scope.", tokens(), nodes);
    CommandLine audit =
        RowCommand.of(Audit.row(), nodes).addSubcommand(RowCommand.of(DriftAudit.row(), nodes));
    return List.of(keys, tenants, tokens, audit);
  }

  private static CommandLine group(
      String name, String description, List<CommandRow> rows, KnownNodes nodes) {
    return RowCommand.group(
        name, description, rows.stream().map(row -> RowCommand.of(row, nodes)).toList());
  }

  private static List<CommandRow> records(String kind) {
    String records = "/v1/" + kind;
    return List.of(
        CommandRow.of(
                "create",
                "Makes a record. A new key is shown this once.",
                call -> call.printed(call.send("POST", records, settings(call))))
            .optionalArgument("ID", "its public id; a key without one gets a random one")
            .option("--tenant", "TENANT", "that a key belongs to")
            .option("--plan", "PLAN", "else that of its tenant, or the default one")
            .option("--expires", "WHEN", EXPIRES)
            .pairs("--label", "NAME=TEXT", "a label")
            .option("--note", "TEXT", "for people"),
        RecordList.row(kind),
        CommandRow.of(
                "show",
                "Shows a record, and of a key each limit in force with its source.",
                call -> call.printed(call.get(at(records, call))))
            .argument("ID", "its id"),
        CommandRow.of(
                "set",
                "Changes fields of a record; null removes one: '{\"plan\": \"gold\", \"note\": null}'.",
                call -> call.printed(call.send("PATCH", at(records, call), patch(call))))
            .argument("ID", "its id")
            .argument(
                "JSON", "an object with some of plan, state, expires, overrides, labels, note"),
        state("freeze", "Refuses all requests of a record.", records, "frozen"),
        state("activate", "Serves the requests of a frozen record again.", records, "active"),
        RecordBoost.row(kind),
        CommandRow.of(
                "delete",
                "Ends a record for good.",
                call -> call.printed(call.delete(at(records, call))))
            .argument("ID", "its id"));
  }

  private static CommandRow state(String name, String description, String records, String state) {
    JsonObject patch = new JsonObject().put("state", state);
    return CommandRow.of(
            name, description, call -> call.printed(call.send("PATCH", at(records, call), patch)))
        .argument("ID", "its id");
  }

  private static String at(String records, RowCommand call) throws IOException {
    String id = records.equals("/v1/keys") ? call.key("ID") : call.text("ID");
    return records + "/" + AdminCommand.segment(id);
  }

  private static JsonObject settings(RowCommand call) {
    JsonObject body = new JsonObject();
    put(body, "id", call.text("ID"));
    put(body, "tenant", call.text("--tenant"));
    put(body, "plan", call.text("--plan"));
    put(body, "expires", AdminCommand.moment(call.text("--expires")));
    JsonObject labels = new JsonObject();
    call.pairs("--label").forEach(labels::put);
    if (!labels.isEmpty()) {
      body.put("labels", labels);
    }
    put(body, "note", call.text("--note"));
    return body;
  }

  private static void put(JsonObject body, String name, String text) {
    if (!text.isEmpty()) {
      body.put(name, text);
    }
  }

  private static JsonObject patch(RowCommand call) {
    try {
      return JsonInput.object(call.text("JSON"));
    } catch (DecodeException e) {
      throw call.wrong("JSON: %s (expected: an object such as '{\"note\": \"asked for more\"}')"
          .formatted(e.getMessage()));
    }
  }

  private static CommandRow rotate() {
    return CommandRow.of(
            "rotate",
            "Gives a key another secret, shown this once. The ones before stay valid for a while.",
            KeyCommands::rotated)
        .argument("ID", "the key's id")
        .option("--overlap", "TIME", "1d", "how long: 90s, 30m, 12h, 7d; 0s for not at all");
  }

  private static int rotated(RowCommand call) throws IOException {
    String overlap = call.text("--overlap");
    if (!overlap.matches("\\d{1,7}[smhd]")) {
      throw call.wrong("--overlap: '%s' (expected: 90s, 30m, 12h or 7d)".formatted(overlap));
    }
    JsonObject body =
        new JsonObject().put("overlapSeconds", InstantText.duration(overlap).toSeconds());
    return call.printed(call.send("POST", at("/v1/keys", call) + "/rotate", body));
  }

  private static CommandRow export() {
    return CommandRow.of(
            "export",
            "Prints all keys as JSON lines, with the hashes of their secrets, as an import reads them. Needs the scope all.",
            call -> RecordList.pages(
                call,
                "keys",
                Map.of("tenant", call.text("--tenant"), "hashes", "true"),
                Integer.MAX_VALUE,
                key -> call.out().println(key.encode())))
        .option("--tenant", "TENANT", "only its keys");
  }

  private static List<CommandRow> tokens() {
    return List.of(
        CommandRow.of(
                "create",
                "Makes a token; it is shown this once.",
                call -> call.printed(call.send("POST", TOKENS, token(call))))
            .argument("NAME", "stands in the audit")
            .required("--scope", "SCOPE", "read, keys (read, and change keys) or all")
            .option(
                "--tenant", "TENANT", "only its keys; such a token sets no plan and no override")
            .option("--expires", "WHEN", EXPIRES),
        CommandRow.of(
            "list",
            "Lists the tokens that are stored.",
            call -> call.listed(call.get(TOKENS), "tokens", "No token is stored.", tokens(call))),
        CommandRow.of(
                "delete",
                "Ends a token, within a second on all nodes.",
                call -> call.printed(call.delete(TOKENS + "/" + call.text("NAME"))))
            .argument("NAME", "its name"));
  }

  private static JsonObject token(RowCommand call) {
    JsonObject body =
        new JsonObject().put("name", call.text("NAME")).put("scope", call.text("--scope"));
    put(body, "tenant", call.text("--tenant"));
    put(body, "expires", AdminCommand.moment(call.text("--expires")));
    return body;
  }

  private static Table<JsonObject> tokens(RowCommand call) {
    return Table.<JsonObject>of()
        .text("name", one -> one.getString("name"))
        .whole("scope", one -> one.getString("scope"))
        .text("tenant", one -> one.getString("tenant", ""))
        .whole("expires", one -> Ago.words(one.getString("expires", ""), call.now()));
  }
}
