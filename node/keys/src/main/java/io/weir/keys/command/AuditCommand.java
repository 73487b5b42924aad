package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir audit}: the last changes of keys, tenants and tokens. */
@Command(
    name = "audit",
    description = "Shows the last changes of keys, tenants and tokens, the newest first.",
    mixinStandardHelpOptions = true)
final class AuditCommand extends AdminCommand {
  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "how many at most, up to 1000 (default: 50)")
  private int limit;

  AuditCommand(Supplier<Optional<String>> localAdmin) {
    super(localAdmin);
  }

  @Override
  public Integer call() throws IOException {
    HttpResponse<String> answer = port().ask("GET", "/v1/audit?limit=" + limit, "");
    if (isJson() || answer.statusCode() != 200) {
      return printed(answer);
    }
    JsonInput.object(answer.body()).getJsonArray("lines").stream()
        .map(JsonObject.class::cast)
        .forEach(line -> out()
            .printf(
                "%s  %-12s  %-9s  %-28s  %s%n",
                line.getString("at"),
                line.getString("who"),
                line.getString("what"),
                line.getString("record"),
                difference(line)));
    return 0;
  }

  // The fields that differ, without those that differ each time.
  private static String difference(JsonObject line) {
    JsonObject before = line.getJsonObject("before", new JsonObject());
    JsonObject after = line.getJsonObject("after", new JsonObject());
    TreeSet<String> names = new TreeSet<>(before.fieldNames());
    names.addAll(after.fieldNames());
    names.removeAll(Set.of("version", "changed", "created", "id"));
    return names.stream()
        .filter(name ->
            !String.valueOf(before.getValue(name)).equals(String.valueOf(after.getValue(name))))
        .map(name -> "%s: %s → %s".formatted(name, shown(before, name), shown(after, name)))
        .collect(Collectors.joining(", "));
  }

  private static String shown(JsonObject json, String name) {
    return json.containsKey(name) ? String.valueOf(json.getValue(name)) : "–";
  }
}
