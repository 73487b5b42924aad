package io.weir.operators.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir reset}: lets a caller through now. */
@Command(
    name = "reset",
    description =
        "Forgets what a key or a tenant has used: its rates, its quotas and its queue. The limits "
            + "stay as they are, and so does what is used of limits that it shares with others.",
    mixinStandardHelpOptions = true)
final class ResetCommand extends AdminCommand {
  @Parameters(
      paramLabel = "KEY",
      description = "id of a key, or TENANT/ for the limits that the keys of a tenant share")
  private String owner = "";

  @Option(
      names = "--limit",
      paramLabel = "NAME",
      description = "only this bucket or quota; may be repeated")
  private List<String> limits = List.of();

  @Option(names = "--queue", description = "with --limit: the queue, too")
  private boolean isQueue;

  @Option(names = "--dry-run", description = "tells what would be forgotten, and forgets nothing")
  private boolean isDryRun;

  ResetCommand(Supplier<Optional<String>> localAdmin) {
    super(localAdmin);
  }

  @Override
  public Integer call() throws IOException {
    JsonObject body = owner.endsWith("/")
        ? new JsonObject().put("tenant", owner.substring(0, owner.length() - 1))
        : new JsonObject().put("key", owner);
    if (!limits.isEmpty()) {
      body.put("limits", new JsonArray(limits)).put("queue", isQueue);
    }
    HttpResponse<String> answer =
        port().ask("POST", "/v1/reset" + (isDryRun ? "?dryRun=true" : ""), body.encode());
    if (isJson() || answer.statusCode() != 200) {
      return printed(answer);
    }
    JsonArray reset = JsonInput.object(answer.body()).getJsonArray("reset");
    if (reset.isEmpty()) {
      out().println("Nothing was used.");
    }
    reset.stream().map(JsonObject.class::cast).forEach(this::print);
    return 0;
  }

  private void print(JsonObject one) {
    String what = one.getString("limit", "tickets");
    out()
        .println(
            switch (one.getString("kind")) {
              case "rate" ->
                "%s: would have been empty in %d ms".formatted(what, one.getLong("emptyInMs"));
              case "quota" -> "%s: %d were used".formatted(what, one.getLong("used"));
              default -> "%s: %d waiting".formatted(what, one.getLong("waiting"));
            });
  }
}
