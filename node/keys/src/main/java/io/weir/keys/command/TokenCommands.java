package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir tokens}: the tokens of operators. */
final class TokenCommands {
  private static final String PATH = "/v1/tokens";

  private TokenCommands() {}

  /** {@code weir tokens create NAME --scope SCOPE}. */
  @Command(
      name = "create",
      description = "Makes a token; it is shown this once.",
      sortOptions = false,
      mixinStandardHelpOptions = true)
  static final class Create extends AdminCommand {
    @Parameters(paramLabel = "NAME", description = "stands in the audit")
    private String name = "";

    @Option(
        names = "--scope",
        paramLabel = "SCOPE",
        required = true,
        description = "read, keys (read, and change keys) or all")
    private String scope = "";

    @Option(
        names = "--tenant",
        paramLabel = "TENANT",
        description = "only its keys; such a token sets no plan and no override")
    private @Nullable String tenant;

    @Option(names = "--expires", paramLabel = "WHEN", description = "an instant, or 30d from now")
    private @Nullable String expires;

    Create(Supplier<Optional<String>> localAdmin) {
      super(localAdmin);
    }

    @Override
    public Integer call() throws IOException {
      JsonObject body = new JsonObject().put("name", name).put("scope", scope);
      if (tenant != null) {
        body.put("tenant", tenant);
      }
      if (expires != null) {
        body.put("expires", moment(expires));
      }
      return printed(port().ask("POST", PATH, body.encode()));
    }
  }

  /** {@code weir tokens list}. */
  @Command(
      name = "list",
      description = "Lists the tokens that are stored.",
      mixinStandardHelpOptions = true)
  static final class ListAll extends AdminCommand {
    private static final String ROW = "%-24s  %-6s  %-16s  %s%n";

    ListAll(Supplier<Optional<String>> localAdmin) {
      super(localAdmin);
    }

    @Override
    public Integer call() throws IOException {
      HttpResponse<String> answer = port().ask("GET", PATH, "");
      if (isJson() || answer.statusCode() != 200) {
        return printed(answer);
      }
      out().printf(ROW, "NAME", "SCOPE", "TENANT", "EXPIRES");
      JsonInput.object(answer.body()).getJsonArray("tokens").stream()
          .map(JsonObject.class::cast)
          .forEach(one -> out()
              .printf(
                  ROW,
                  one.getString("name"),
                  one.getString("scope"),
                  one.getString("tenant", ""),
                  one.getString("expires", "")));
      return 0;
    }
  }

  /** {@code weir tokens delete NAME}. */
  @Command(
      name = "delete",
      description = "Ends a token, within a second on all nodes.",
      mixinStandardHelpOptions = true)
  static final class Delete extends AdminCommand {
    @Parameters(paramLabel = "NAME", description = "its name")
    private String name = "";

    Delete(Supplier<Optional<String>> localAdmin) {
      super(localAdmin);
    }

    @Override
    public Integer call() throws IOException {
      return printed(port().ask("DELETE", PATH + "/" + name, ""));
    }
  }
}
