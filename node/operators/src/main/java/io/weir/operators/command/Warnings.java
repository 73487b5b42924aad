package io.weir.operators.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.RowCommand;
import io.weir.node.command.Table;
import io.weir.node.command.Wrapped;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** {@code weir warnings}: who is warned of which limits, and whether the receivers take it. */
final class Warnings {
  private static final String PATH = "/v1/warnings";

  private Warnings() {}

  static List<CommandRow> rows() {
    return List.of(
        CommandRow.of(
            "list",
            "Lists the rules of the policy, and the receivers with the deliveries of all nodes.",
            call -> call.printed(call.get(PATH), found -> print(call, found))),
        CommandRow.of(
                "test",
                "Sends a message of type test to a receiver, once, from the node that answers. Fails if it is not taken.",
                Warnings::test)
            .argument("RECEIVER", "a receiver, as rules name it"));
  }

  private static int test(RowCommand call) throws IOException {
    JsonObject body = new JsonObject().put("to", call.text("RECEIVER"));
    HttpResponse<String> answer = call.send("POST", PATH + "/test", body);
    int failed = call.printed(answer, sent -> call.out().println(Wrapped.lines(words(sent))));
    return failed == 0 && !JsonInput.object(answer.body()).getBoolean("delivered") ? 1 : failed;
  }

  private static String words(JsonObject sent) {
    return sent.getBoolean("delivered")
        ? "%s has taken it: status %d".formatted(sent.getString("to"), sent.getInteger("status"))
        : "%s has not taken it: %s".formatted(sent.getString("to"), sent.getString("why"));
  }

  private static void print(RowCommand call, JsonObject found) {
    List<JsonObject> rules = objects(found.getJsonArray("rules"));
    if (rules.isEmpty()) {
      call.out().println("The policy has no rules for warnings.");
    }
    Table.<JsonObject>of()
        .text("rule", one -> one.getString("name"))
        .text("to", one -> one.getString("to"))
        .whole("at %", one -> joined(one.getJsonArray("at")))
        .sentence("of", Warnings::limits)
        .print(rules, call.out());
    List<JsonObject> receivers = objects(found.getJsonArray("receivers"));
    if (!receivers.isEmpty()) {
      call.out().println();
    }
    Table.<JsonObject>of()
        .text("receiver", one -> one.getString("name"))
        .number("taken", one -> one.getLong("delivered"))
        .number("failed", one -> one.getLong("failed"))
        .whole("last", one -> Ago.words(one.getString("lastDelivered", ""), call.now()))
        .sentence(
            "now",
            one -> one.getBoolean("isFailing")
                ? "fails for %s: %s"
                    .formatted(
                        Ago.since(one.getString("failingSince"), call.now()), one.getString("why"))
                : "")
        .print(receivers, call.out());
  }

  private static String limits(JsonObject rule) {
    List<String> parts = new ArrayList<>();
    for (String name : List.of("limits", "plans", "tenants", "keys")) {
      if (!rule.getJsonArray(name).isEmpty()) {
        parts.add(name + " " + joined(rule.getJsonArray(name)));
      }
    }
    return parts.isEmpty() ? "all limits" : String.join("; ", parts);
  }

  private static String joined(JsonArray list) {
    return list.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  private static List<JsonObject> objects(JsonArray list) {
    return list.stream().map(JsonObject.class::cast).toList();
  }
}
