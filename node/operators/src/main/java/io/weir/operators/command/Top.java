package io.weir.operators.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.RowCommand;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** {@code weir top}: who is limited, by which limit, and since when. */
final class Top {
  private static final int WHO = 24;
  private static final int LIMIT = 19;
  private static final String WARNS = ", warns";
  /** 80 columns. */
  private static final String ROW = "%-" + WHO + "s %-" + LIMIT + "s %10s %10s %6s %6s%n";

  private static final Map<String, String> TITLES = Map.of(
      "now", "Limited now",
      "nearly", "Nearly limited (a limit is at least 80 % full)",
      "wouldbe", "Would be limited (by audit mode or a candidate)",
      "closed", "Closed in the last 24 hours");

  private Top() {}

  static CommandRow row() {
    return CommandRow.of(
            "top",
            "Shows who is limited, by which limit and since when, on all nodes: each key, or tenant (with a slash), and "
                + "limit from its first denial until a minute after its last, with its denials in the last minute and hour.",
            call -> call.printed(
                call.get("/v1/cases"
                    + call.queryOf("state=--state", "tenant=--tenant", "limit=--limit")),
                found -> print(call, found)))
        .option(
            "--state",
            "STATE",
            "now",
            "now: those who are denied; nearly: those whose limit is at least 80 %% full; wouldbe: those whom audit mode or "
                + "a candidate would deny; closed: those who were denied in the last 24 hours, with all denials of the case")
        .option("--tenant", "TENANT", "only those of a tenant")
        .number("--limit", "N", 10, "how many at most, up to 32")
        .watched();
  }

  private static void print(RowCommand call, JsonObject found) {
    call.out()
        .printf(
            "%s: %d%s%n",
            TITLES.get(found.getString("state")),
            found.getInteger("total"),
            found.getBoolean("hasMore", false) ? " or more" : "");
    List<Count> counts = Count.of(found.getString("state"));
    if (!found.getJsonArray("cases").isEmpty()) {
      call.out()
          .printf(ROW, "who", "limit", "since", "last", counts.get(0).title, counts.get(1).title);
      Instant at = Instant.parse(found.getString("at"));
      found.getJsonArray("cases").stream()
          .map(JsonObject.class::cast)
          .forEach(one -> print(call, one, counts, at));
    }
    SilentNodes.warn(found, call.err());
  }

  /** A count of a case. */
  private enum Count {
    MINUTE("1 min", "lastMinute"),
    HOUR("1 h", "lastHour"),
    ALL("all", "requests");

    private final String title;
    private final String name;

    Count(String title, String name) {
      this.title = title;
      this.name = name;
    }

    /** The two counts of the cases of a state: the last minute of one that is closed has none. */
    static List<Count> of(String state) {
      return "closed".equals(state) ? List.of(HOUR, ALL) : List.of(MINUTE, HOUR);
    }

    long in(JsonObject one) {
      return one.getLong(name);
    }
  }

  private static void print(RowCommand call, JsonObject one, List<Count> counts, Instant at) {
    call.out()
        .printf(
            ROW,
            cut(one.getString("tenant") + "/" + one.getString("key", ""), WHO),
            limit(one),
            Ago.since(one.getString("since"), at),
            Ago.since(one.getString("last"), at),
            counts.get(0).in(one),
            counts.get(1).in(one));
  }

  // The name is cut, not the words behind it.
  private static String limit(JsonObject one) {
    String limit = one.getString("limit");
    return one.getBoolean("soft", false)
        ? cut(limit, LIMIT - WARNS.length()) + WARNS
        : cut(one.getString("why", limit), LIMIT);
  }

  private static String cut(String text, int width) {
    return text.length() <= width ? text : text.substring(0, width - 1) + "…";
  }
}
