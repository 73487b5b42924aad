package io.weir.keys.command;

import io.weir.node.command.AdminCommand;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weir keys show ID} and {@code weir tenants show ID}. */
@Command(
    name = "show",
    description = "Shows a record, and of a key each limit in force with its source.",
    mixinStandardHelpOptions = true)
final class RecordShow extends AdminCommand {
  private final String kind;

  @Parameters(paramLabel = "ID", description = "its id")
  private String id = "";

  RecordShow(Supplier<Optional<String>> localAdmin, String kind) {
    super(localAdmin);
    this.kind = kind;
  }

  @Override
  public Integer call() throws IOException {
    return printed(port().ask("GET", "/v1/" + kind + "/" + id, ""));
  }
}
