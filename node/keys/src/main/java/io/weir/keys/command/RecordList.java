package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.command.AdminPort;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir keys list} and {@code weir tenants list}. */
@Command(
    name = "list",
    description = "Lists records, each once, in no particular order.",
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class RecordList extends AdminCommand {
  private static final int PAGE = 500;
  private static final String ROW = "%-24s  %-16s  %-12s  %-8s  %s%n";

  private final String kind;

  @Option(names = "--tenant", paramLabel = "TENANT", description = "only its keys")
  private String tenant = "";

  @Option(
      names = "--plan",
      paramLabel = "PLAN",
      description = "only those with this plan of their own")
  private String plan = "";

  @Option(names = "--label", paramLabel = "NAME[:TEXT]", description = "only those with this label")
  private String label = "";

  @Option(names = "--state", paramLabel = "STATE", description = "active, frozen or disabled")
  private String state = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "how many at most (default: 100)")
  private int limit;

  RecordList(Supplier<Optional<String>> localAdmin, String kind) {
    super(localAdmin);
    this.kind = kind;
  }

  @Override
  public Integer call() throws IOException {
    if (limit < 1) {
      throw wrong("--limit: %d (expected: above 0)".formatted(limit));
    }
    AdminPort port = port();
    Map<String, String> asked = new LinkedHashMap<>();
    asked.put("tenant", tenant);
    asked.put("plan", plan);
    asked.put("label", label);
    asked.put("state", state);
    if (!isJson()) {
      out().printf(ROW, "ID", "TENANT", "PLAN", "STATE", "CHANGED");
    }
    int left = limit;
    String cursor = "";
    do {
      asked.put("limit", Integer.toString(Math.min(left, PAGE)));
      asked.put("cursor", cursor);
      HttpResponse<String> answer = port.ask("GET", "/v1/" + kind + query(asked), "");
      if (failed(answer)) {
        return 1;
      }
      JsonObject page = JsonInput.object(answer.body());
      page.getJsonArray(kind).forEach(one -> print((JsonObject) one));
      left -= page.getJsonArray(kind).size();
      cursor = page.getString("cursor", "");
    } while (!cursor.isEmpty() && left > 0);
    out().flush();
    return 0;
  }

  private void print(JsonObject one) {
    if (isJson()) {
      out().println(one.encode());
      return;
    }
    out()
        .printf(
            ROW,
            one.getString("id"),
            one.getString("tenant", ""),
            one.getString("plan", ""),
            one.getString("state"),
            one.getJsonObject("changed").getString("at"));
  }
}
