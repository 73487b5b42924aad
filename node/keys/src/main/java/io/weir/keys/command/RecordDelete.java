package io.weir.keys.command;

import io.weir.node.command.AdminCommand;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weir keys delete ID} and {@code weir tenants delete ID}. */
@Command(description = "Ends a record for good.", mixinStandardHelpOptions = true)
final class RecordDelete extends AdminCommand {
  private final String kind;

  @Parameters(paramLabel = "ID", description = "its id")
  private String id = "";

  RecordDelete(Supplier<Optional<String>> localAdmin, String kind) {
    super(localAdmin);
    this.kind = kind;
  }

  @Override
  public Integer call() throws IOException {
    return printed(port().ask("DELETE", "/v1/" + kind + "/" + id, ""));
  }
}
