package io.weir.operators.command;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Plan;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.RowCommand;
import io.weir.node.command.Table;
import io.weir.operators.top.ReasonCode;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/** {@code weir denials}: the last denials, or the one with an id. */
final class Denials {
  private Denials() {}

  static CommandRow row() {
    return CommandRow.of(
            "denials",
            "Shows the last denials of all nodes, the newest first, or the one with an id, which the "
                + "denied caller has in the header Weir-Decision.",
            Denials::show)
        .optionalArgument("ID", "id of a denial; without one the last denials are listed")
        .option("--tenant", "TENANT", "only those of a tenant")
        .option("--key", "KEY", "only those of a key, by its id")
        .flag("--rehearsed", "those that limits in audit mode, or a candidate, would have denied")
        .number("--limit", "N", 20, "how many at most, up to 500")
        .watched();
  }

  private static int show(RowCommand call) throws IOException {
    String id = call.text("ID");
    if (!id.isEmpty()) {
      return call.printed(call.get("/v1/denials/" + id));
    }
    String query =
        call.queryOf("tenant=--tenant", "key=--key", "rehearsed=--rehearsed", "limit=--limit");
    return call.printed(call.get("/v1/denials" + query), found -> {
      List<JsonObject> denials = RowCommand.objects(found, "denials");
      if (denials.isEmpty()) {
        call.out().println("No node remembers a denial.");
      }
      table(call).print(denials, call.out());
      SilentNodes.warn(found, call.err());
    });
  }

  private static Table<JsonObject> table(RowCommand call) {
    return Table.<JsonObject>of()
        .number("ago", denial -> Ago.since(denial.getString("at"), call.now()))
        .whole("id", denial -> denial.getString("id"))
        .text("who", denial -> denial.getString("tenant") + "/" + denial.getString("key"))
        .text("operation", Denials::operation)
        .text("limit", Denials::why)
        .number(
            "wait",
            denial -> denial.containsKey("retryAfterMs")
                ? Ago.precisely(denial.getLong("retryAfterMs"))
                : "");
  }

  // The words of the page.
  private static String operation(JsonObject denial) {
    String name = denial.getString("operation");
    if (!name.equals(Plan.UNLISTED)) {
      return name;
    }
    return ReasonCode.isFrozen(denial.getString("reason")) ? "" : "no operation of the policy";
  }

  private static String why(JsonObject denial) {
    String full = denial.getJsonArray("full").stream()
        .map(JsonObject.class::cast)
        .map(limit -> limit.containsKey("scope")
            ? "%s (%s)".formatted(limit.getString("limit"), limit.getString("scope"))
            : limit.getString("limit"))
        .collect(Collectors.joining(", "));
    String why = full.isEmpty() ? denial.getString("why", denial.getString("reason")) : full;
    return denial.getBoolean("degraded", false) ? why + ", by the node alone" : why;
  }
}
