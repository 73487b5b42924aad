package io.weir.keys.command;

import io.vertx.core.json.DecodeException;
import io.weir.node.command.AdminCommand;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weir keys set ID JSON} and {@code weir tenants set ID JSON}. */
@Command(
    description =
        "Changes fields of a record; null removes one: '{\"plan\": \"gold\", \"note\": null}'.",
    mixinStandardHelpOptions = true)
final class RecordSet extends AdminCommand {
  private final String kind;

  @Parameters(index = "0", paramLabel = "ID", description = "its id")
  private String id = "";

  @Parameters(
      index = "1",
      paramLabel = "JSON",
      description = "an object with some of plan, state, expires, overrides, labels, note")
  private String patch = "";

  RecordSet(Supplier<Optional<String>> localAdmin, String kind) {
    super(localAdmin);
    this.kind = kind;
  }

  @Override
  public Integer call() throws IOException {
    try {
      return printed(
          port().ask("PATCH", "/v1/" + kind + "/" + id, JsonInput.object(patch).encode()));
    } catch (DecodeException e) {
      throw wrong("JSON: %s (expected: an object such as '{\"note\": \"asked for more\"}')"
          .formatted(e.getMessage()));
    }
  }
}
