package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.RowCommand;
import io.weir.node.command.Table;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** {@code weir keys list} and {@code weir tenants list}. */
final class RecordList {
  private static final int PAGE = 500;

  private RecordList() {}

  static CommandRow row(String kind) {
    CommandRow all = CommandRow.of("list", "Lists records by their ids.", call -> list(call, kind));
    CommandRow filtered = filters(kind).isEmpty()
        ? all
        : all.option("--tenant", "TENANT", "only its keys")
            .option("--plan", "PLAN", "only those with this plan of their own")
            .option("--label", "NAME[:TEXT]", "only those with this label")
            .option("--state", "STATE", "active, frozen or disabled");
    return filtered.number("--limit", "N", 100, "how many at most");
  }

  // A node lists all records of tenants.
  private static List<String> filters(String kind) {
    return kind.equals("keys") ? List.of("tenant", "plan", "label", "state") : List.of();
  }

  private static int list(RowCommand call, String kind) throws IOException {
    int limit = call.number("--limit");
    if (limit < 1) {
      throw call.wrong("--limit: %d (expected: above 0)".formatted(limit));
    }
    Map<String, String> asked = new LinkedHashMap<>();
    for (String name : filters(kind)) {
      asked.put(name, call.text("--" + name));
    }
    List<JsonObject> records = new ArrayList<>();
    int status = pages(call, kind, asked, limit, records::add);
    records.sort(Comparator.comparing(one -> one.getString("id")));
    if (call.isJson()) {
      records.forEach(one -> call.out().println(one.encode()));
    } else if (records.isEmpty() && status == 0) {
      boolean isAll = asked.values().stream().allMatch(String::isEmpty);
      String one = kind.substring(0, kind.length() - 1);
      call.out().println("No %s%s has a record.".formatted(isAll ? "" : "such ", one));
    } else {
      table(call, kind).print(records, call.out());
    }
    if (records.size() == limit) {
      call.err().printf("There may be more than %d (--limit)%n", limit);
    }
    return status;
  }

  private static Table<JsonObject> table(RowCommand call, String kind) {
    Table<JsonObject> ids = Table.<JsonObject>of().text("id", one -> one.getString("id"));
    Table<JsonObject> owners =
        kind.equals("keys") ? ids.text("tenant", one -> one.getString("tenant", "")) : ids;
    return owners
        .text("plan", RecordList::plan)
        .whole("state", one -> one.getString("state"))
        .whole(
            "changed", one -> Ago.words(one.getJsonObject("changed").getString("at"), call.now()))
        .text("by", one -> one.getJsonObject("changed").getString("by", ""));
  }

  // The plan, and who gives it if that is not the record.
  private static String plan(JsonObject one) {
    String own = one.getString("plan", "");
    return own.isEmpty() && one.containsKey("planInForce")
        ? "%s (%s)".formatted(one.getString("planInForce"), one.getString("planFrom"))
        : own;
  }

  /** Asks page by page; fails with the first page that does. */
  static int pages(
      RowCommand call, String kind, Map<String, String> asked, int most, Consumer<JsonObject> one)
      throws IOException {
    Map<String, String> page = new LinkedHashMap<>(asked);
    int left = most;
    do {
      page.put("limit", Integer.toString(Math.min(left, PAGE)));
      HttpResponse<String> answer = call.get("/v1/" + kind + AdminCommand.query(page));
      if (call.failed(answer)) {
        return 1;
      }
      JsonObject found = JsonInput.object(answer.body());
      found.getJsonArray(kind).stream().map(JsonObject.class::cast).forEach(one);
      left -= found.getJsonArray(kind).size();
      page.put("cursor", found.getString("cursor", ""));
    } while (!page.getOrDefault("cursor", "").isEmpty() && left > 0);
    call.out().flush();
    return 0;
  }
}
