package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir keys create [ID] --tenant T} and {@code weir tenants create ID}. */
@Command(
    name = "create",
    description = "Makes a record. A new key is shown this once.",
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class RecordCreate extends AdminCommand {
  private final String kind;

  @Parameters(
      paramLabel = "ID",
      arity = "0..1",
      description = "its public id; a key without one gets a random one")
  private @Nullable String id;

  @Option(names = "--tenant", paramLabel = "TENANT", description = "that a key belongs to")
  private @Nullable String tenant;

  @Option(
      names = "--plan",
      paramLabel = "PLAN",
      description = "else that of its tenant, or the default one")
  private @Nullable String plan;

  @Option(names = "--expires", paramLabel = "WHEN", description = "an instant, or 30d from now")
  private @Nullable String expires;

  @Option(names = "--label", paramLabel = "NAME=TEXT", description = "may be repeated")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(names = "--note", paramLabel = "TEXT", description = "for people")
  private @Nullable String note;

  RecordCreate(Supplier<Optional<String>> localAdmin, String kind) {
    super(localAdmin);
    this.kind = kind;
  }

  @Override
  public Integer call() throws IOException {
    JsonObject body = new JsonObject();
    put(body, "id", id);
    put(body, "tenant", tenant);
    put(body, "plan", plan);
    if (expires != null) {
      body.put("expires", moment(expires));
    }
    if (!labels.isEmpty()) {
      JsonObject all = new JsonObject();
      labels.forEach(all::put);
      body.put("labels", all);
    }
    put(body, "note", note);
    return printed(port().ask("POST", "/v1/" + kind, body.encode()));
  }

  private static void put(JsonObject body, String name, @Nullable String value) {
    if (value != null) {
      body.put(name, value);
    }
  }
}
