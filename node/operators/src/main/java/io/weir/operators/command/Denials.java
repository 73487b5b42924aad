package io.weir.operators.command;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Plan;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.RowCommand;
import io.weir.node.command.Rows;
import io.weir.node.command.Table;
import io.weir.operators.denial.Denial;
import io.weir.operators.top.ReasonCode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
      return call.printed(
          call.get("/v1/denials/" + id), found -> Rows.print(facts(found, call.now()), call.out()));
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
        .number("retry after", denial -> isWait(denial) ? wait(denial) : outcome(denial));
  }

  // All of it, in the words of the page.
  private static Map<String, String> facts(JsonObject denial, Instant now) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("id", denial.getString("id"));
    facts.put("at", Ago.words(denial.getString("at"), now));
    facts.put("key", denial.getString("tenant") + "/" + denial.getString("key"));
    facts.put("plan", denial.getString("plan"));
    facts.put("operation", joined(sought(denial), "cost " + denial.getLong("cost")));
    facts.put("outcome", isWait(denial) ? "retry after " + wait(denial) : outcome(denial));
    List<JsonObject> full = RowCommand.objects(denial, "full");
    if (full.isEmpty()) {
      facts.put("reason", denial.getString("why", denial.getString("reason")));
    } else {
      facts.put("full", full.stream().map(Denials::full).collect(Collectors.joining("; ")));
    }
    // A node of an older version has no address.
    String node = denial.getString("listens", denial.getString("node"));
    facts.put("node", joined(node, isDegraded(denial) ? "degraded: decided without Redis" : ""));
    facts.put(
        "policy",
        denial.containsKey("revision") ? "revision " + denial.getLong("revision") : "none");
    if (denial.containsKey("carried")) {
      facts.put("limit of the command", carried(denial.getJsonObject("carried")));
    }
    facts.put("trace", denial.getString("trace", "none"));
    return facts;
  }

  private static String full(JsonObject limit) {
    String scope = limit.getString("scope", "");
    String kind = limit.getString("kind", "");
    return joined(
        limit.getString("limit"),
        Stream.of(kind, scope.isEmpty() ? "" : "of the " + scope)
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining(" ")));
  }

  private static String carried(JsonObject limit) {
    return "%d at once, %d in %s"
        .formatted(
            limit.getLong("maxBurst") + 1,
            limit.getLong("count"),
            Ago.length(Duration.ofSeconds(limit.getLong("periodSeconds"))));
  }

  private static String joined(String... parts) {
    return Stream.of(parts).filter(part -> !part.isEmpty()).collect(Collectors.joining(", "));
  }

  private static boolean isWait(JsonObject denial) {
    return denial.containsKey("retryAfterMs")
        && !denial.getString("outcome").equals(Denial.WOULD_DENY);
  }

  private static String wait(JsonObject denial) {
    String wait = Ago.precisely(denial.getLong("retryAfterMs")).replace(".0 s", " s");
    return denial.getBoolean("estimate", false) ? "about " + wait : wait;
  }

  private static String outcome(JsonObject denial) {
    String outcome = denial.getString("outcome");
    return switch (outcome) {
      case Denial.WOULD_DENY -> "would be denied";
      case "never_allowed" -> "blocked";
      default -> outcome.replace('_', ' ');
    };
  }

  private static boolean isDegraded(JsonObject denial) {
    return denial.getBoolean("degraded", false);
  }

  private static String sought(JsonObject denial) {
    String name = operation(denial);
    return name.isEmpty() ? "not looked for" : name;
  }

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
    return isDegraded(denial) ? why + ", by the node alone" : why;
  }
}
