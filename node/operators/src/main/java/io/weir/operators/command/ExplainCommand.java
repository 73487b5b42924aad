package io.weir.operators.command;

import io.weir.node.command.AdminCommand;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir explain}: what would be decided now. */
@Command(
    name = "explain",
    description =
        "Tells what would be decided now on a request, and why, limit by limit. Nothing is taken.",
    mixinStandardHelpOptions = true)
final class ExplainCommand extends AdminCommand {
  @Parameters(paramLabel = "KEY", description = "id of a key, or name of a subject")
  private String key = "";

  @Parameters(paramLabel = "OPERATION", description = "operation, as the policy names it")
  private String operation = "";

  @Option(
      names = "--cost",
      paramLabel = "N",
      defaultValue = "",
      description = "cost in operations (default: the operation's own)")
  private String cost = "";

  ExplainCommand(Supplier<Optional<String>> localAdmin) {
    super(localAdmin);
  }

  @Override
  public Integer call() throws IOException {
    String query = query(Map.of("key", key, "operation", operation, "cost", cost));
    HttpResponse<String> answer = port().ask("GET", "/v1/explain" + query, "");
    if (isJson() || answer.statusCode() != 200) {
      return printed(answer);
    }
    JsonInput.object(answer.body()).getJsonArray("words").forEach(out()::println);
    return 0;
  }
}
