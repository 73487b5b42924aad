package io.weir.keys.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.command.AdminPort;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir keys boost ID --bucket B --rate 500/s --for 2h}, and of tenants likewise. */
@Command(
    description = "Gives a record another limit for a while; it ends by itself.",
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class RecordBoost extends AdminCommand {
  private final String kind;

  @Parameters(paramLabel = "ID", description = "its id")
  private String id = "";

  @ArgGroup(multiplicity = "1")
  private Target target = new Target();

  @Option(
      names = "--for",
      paramLabel = "TIME",
      required = true,
      description = "90s, 30m, 12h, 7d, or the instant of its end")
  private String end = "";

  /** What is changed. Mutable; picocli sets its fields. */
  static final class Target {
    @ArgGroup(exclusive = false)
    private @Nullable OfRate rate;

    @ArgGroup(exclusive = false)
    private @Nullable OfLimit limit;
  }

  /** Another rate of a bucket. Mutable; picocli sets its fields. */
  static final class OfRate {
    @Option(names = "--bucket", paramLabel = "BUCKET", required = true, description = "a bucket")
    private String bucket = "";

    @Option(
        names = "--ops-per-sec",
        paramLabel = "N",
        required = true,
        description = "its rate until then")
    private long opsPerSec;
  }

  /** Another size of a quota or of permits. Mutable; picocli sets its fields. */
  static final class OfLimit {
    @Option(
        names = "--limits",
        paramLabel = "LIMIT",
        required = true,
        description = "a quota, or permits")
    private String name = "";

    @Option(
        names = "--limit",
        paramLabel = "N",
        required = true,
        description = "its size until then")
    private long size;
  }

  RecordBoost(Supplier<Optional<String>> localAdmin, String kind) {
    super(localAdmin);
    this.kind = kind;
  }

  // The other overrides stay; the version makes sure that none is lost.
  @Override
  public Integer call() throws IOException {
    AdminPort port = port();
    String path = "/v1/" + kind + "/" + id;
    HttpResponse<String> seen = port.ask("GET", path, "");
    if (failed(seen)) {
      return 1;
    }
    JsonObject boost = boost();
    JsonArray overrides = new JsonArray();
    JsonInput.object(seen.body()).getJsonArray("overrides", new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .filter(one -> !isOfSame(one, boost))
        .forEach(overrides::add);
    overrides.add(boost);
    return printed(port.ask(
        "PATCH",
        path,
        new JsonObject().put("overrides", overrides).encode(),
        "If-Match",
        seen.headers().firstValue("ETag").orElse("*")));
  }

  private static boolean isOfSame(JsonObject one, JsonObject other) {
    return String.valueOf(one.getValue("bucket")).equals(String.valueOf(other.getValue("bucket")))
        && String.valueOf(one.getValue("limits")).equals(String.valueOf(other.getValue("limits")))
        && !one.containsKey("operation");
  }

  private JsonObject boost() {
    JsonObject boost = new JsonObject();
    OfRate rate = target.rate;
    OfLimit limit = target.limit;
    if (rate != null) {
      boost.put("bucket", rate.bucket).put("opsPerSec", rate.opsPerSec);
    }
    if (limit != null) {
      boost.put("limits", limit.name).put("limit", limit.size);
    }
    return boost.put("until", moment(end));
  }
}
