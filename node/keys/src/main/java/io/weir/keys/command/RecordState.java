package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weir keys freeze ID} and {@code weir keys activate ID}, and of tenants likewise. */
@Command(
    description = "Refuses all requests of a record, or serves them again.",
    mixinStandardHelpOptions = true)
final class RecordState extends AdminCommand {
  private final String kind;
  private final String state;

  @Parameters(paramLabel = "ID", description = "its id")
  private String id = "";

  RecordState(Supplier<Optional<String>> localAdmin, String kind, String state) {
    super(localAdmin);
    this.kind = kind;
    this.state = state;
  }

  @Override
  public Integer call() throws IOException {
    JsonObject patch = new JsonObject().put("state", state);
    return printed(port().ask("PATCH", "/v1/" + kind + "/" + id, patch.encode()));
  }
}
