package io.weir.operators.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir top}: who is denied most. */
@Command(
    name = "top",
    description =
        "Shows who was denied most in the last minute, on all nodes, and who was nearly denied.",
    mixinStandardHelpOptions = true)
final class TopCommand extends AdminCommand {
  private static final int MOST_WIDE = 60;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "10",
      description = "how many of each, up to 32 (default: 10)")
  private int limit;

  TopCommand(Supplier<Optional<String>> localAdmin) {
    super(localAdmin);
  }

  @Override
  public Integer call() throws IOException {
    HttpResponse<String> answer = port().ask("GET", "/v1/top?limit=" + limit, "");
    if (isJson() || answer.statusCode() != 200) {
      return printed(answer);
    }
    JsonObject top = JsonInput.object(answer.body());
    out()
        .printf(
            "The last %d s, told by %d nodes.%n",
            top.getInteger("seconds"), top.getInteger("nodes"));
    print("Denied", top.getJsonObject("denied"));
    print("Admitted, and nearly denied (a limit is at least 80 % full)", top.getJsonObject("near"));
    return 0;
  }

  private void print(String title, JsonObject tops) {
    out().printf("%n%s: %d times%n", title, tops.getLong("total"));
    if (tops.getLong("total") > 0) {
      print("key", tops, "keys", row -> row.getString("tenant") + "/" + row.getString("key"));
      print("tenant", tops, "tenants", row -> row.getString("tenant"));
      print(
          "limit",
          tops,
          "limits",
          row -> "%s of %s, plan %s"
              .formatted(
                  row.getString("limit"), row.getString("operation"), row.getString("plan")));
    }
  }

  private void print(
      String title, JsonObject tops, String member, Function<JsonObject, String> name) {
    int width = Math.min(
        MOST_WIDE,
        tops.getJsonArray(member).stream()
            .map(JsonObject.class::cast)
            .mapToInt(row -> name.apply(row).length())
            .max()
            .orElse(0));
    String format = "  %-" + Math.max(width, title.length()) + "s  %12s  %12s%n";
    out().printf(format, title, "at least", "at most");
    tops.getJsonArray(member).stream()
        .map(JsonObject.class::cast)
        .forEach(row ->
            out().printf(format, name.apply(row), row.getLong("atLeast"), row.getLong("atMost")));
  }
}
