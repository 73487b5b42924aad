package io.weir.operators.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir denials}: the last denials, or the one with an id. */
@Command(
    name = "denials",
    description =
        "Shows the last denials of all nodes, the newest first, or the one with an id, which the "
            + "denied caller has in the header Weir-Decision.",
    mixinStandardHelpOptions = true)
final class DenialsCommand extends AdminCommand {
  @Parameters(
      paramLabel = "ID",
      arity = "0..1",
      defaultValue = "",
      description = "id of a denial; without one the last denials are listed")
  private String id = "";

  @Option(names = "--tenant", defaultValue = "", description = "only those of a tenant")
  private String tenant = "";

  @Option(names = "--key", defaultValue = "", description = "only those of a key, by its id")
  private String key = "";

  @Option(
      names = "--rehearsed",
      description = "those that limits in audit mode, or a candidate, would have denied")
  private boolean isRehearsed;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "how many at most, up to 500 (default: 20)")
  private int limit;

  DenialsCommand(Supplier<Optional<String>> localAdmin) {
    super(localAdmin);
  }

  @Override
  public Integer call() throws IOException {
    if (!id.isEmpty()) {
      return printed(port().ask("GET", "/v1/denials/" + id, ""));
    }
    String query = query(Map.of(
        "tenant",
        tenant,
        "key",
        key,
        "rehearsed",
        isRehearsed ? "true" : "",
        "limit",
        Integer.toString(limit)));
    HttpResponse<String> answer = port().ask("GET", "/v1/denials" + query, "");
    if (isJson() || answer.statusCode() != 200) {
      return printed(answer);
    }
    JsonObject found = JsonInput.object(answer.body());
    found.getJsonArray("denials").stream().map(JsonObject.class::cast).forEach(this::print);
    NodesHeard.tell(found, err());
    return 0;
  }

  private void print(JsonObject denial) {
    out()
        .printf(
            "%s  %s  %-24s  %-16s  %s%s%n",
            denial.getString("at"),
            denial.getString("id"),
            denial.getString("tenant") + "/" + denial.getString("key"),
            denial.getString("operation"),
            why(denial),
            denial.containsKey("retryAfterMs")
                ? ", %d ms".formatted(denial.getLong("retryAfterMs"))
                : "");
  }

  private static String why(JsonObject denial) {
    String full = denial.getJsonArray("full").stream()
        .map(JsonObject.class::cast)
        .map(limit -> limit.containsKey("scope")
            ? "%s (%s)".formatted(limit.getString("limit"), limit.getString("scope"))
            : limit.getString("limit"))
        .collect(Collectors.joining(", "));
    String why = full.isEmpty() ? denial.getString("reason") : full;
    return denial.getBoolean("degraded", false) ? why + ", by the node alone" : why;
  }
}
