package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.keys.record.Moments;
import io.weir.node.command.AdminCommand;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir keys rotate ID}. */
@Command(
    name = "rotate",
    description =
        "Gives a key another secret, shown this once. The ones before stay valid for a while.",
    mixinStandardHelpOptions = true)
final class KeyRotate extends AdminCommand {
  @Parameters(paramLabel = "ID", description = "the key's id")
  private String id = "";

  @Option(
      names = "--overlap",
      paramLabel = "TIME",
      defaultValue = "1d",
      description = "how long: 90s, 30m, 12h, 7d; 0s for not at all (default: 1d)")
  private String overlap = "1d";

  KeyRotate(Supplier<Optional<String>> localAdmin) {
    super(localAdmin);
  }

  @Override
  public Integer call() throws IOException {
    if (!overlap.matches("\\d{1,7}[smhd]")) {
      throw wrong("--overlap: '%s' (expected: 90s, 30m, 12h or 7d)".formatted(overlap));
    }
    JsonObject body =
        new JsonObject().put("overlapSeconds", Moments.duration(overlap).toSeconds());
    return printed(port().ask("POST", "/v1/keys/" + id + "/rotate", body.encode()));
  }
}
