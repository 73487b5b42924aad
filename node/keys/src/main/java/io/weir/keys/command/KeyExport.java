package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.command.AdminPort;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir keys export}. */
@Command(
    name = "export",
    description =
        "Prints all keys as JSON lines, with the hashes of their secrets, as an import reads them. Needs the scope all.",
    mixinStandardHelpOptions = true)
final class KeyExport extends AdminCommand {
  @Option(names = "--tenant", paramLabel = "TENANT", description = "only its keys")
  private String tenant = "";

  KeyExport(Supplier<Optional<String>> localAdmin) {
    super(localAdmin);
  }

  @Override
  public Integer call() throws IOException {
    AdminPort port = port();
    Map<String, String> asked = new LinkedHashMap<>();
    asked.put("tenant", tenant);
    asked.put("limit", "500");
    asked.put("hashes", "true");
    String cursor = "";
    do {
      asked.put("cursor", cursor);
      HttpResponse<String> answer = port.ask("GET", "/v1/keys" + query(asked), "");
      if (failed(answer)) {
        return 1;
      }
      JsonObject page = JsonInput.object(answer.body());
      page.getJsonArray("keys").forEach(one -> out().println(((JsonObject) one).encode()));
      cursor = page.getString("cursor", "");
    } while (!cursor.isEmpty());
    out().flush();
    return 0;
  }
}
