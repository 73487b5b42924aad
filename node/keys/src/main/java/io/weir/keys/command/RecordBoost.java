package io.weir.keys.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.command.AdminPort;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.math.BigDecimal;
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
    description = "Gives a record a higher limit for a while; it ends by itself.",
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

  @Option(names = "--lower", description = "lowers the limit, which is refused otherwise")
  private boolean mayLower;

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
    JsonObject record = JsonInput.object(seen.body());
    JsonObject boost = boost();
    Optional<JsonObject> present = present(record, boost);
    if (!mayLower && present.isPresent() && size(boost) <= size(present.get())) {
      err()
          .printf(
              "%s of %s is %s (expected: more than that, or --lower)%n",
              name(boost), id, words(present.get()));
      return 1;
    }
    JsonArray overrides = new JsonArray();
    record.getJsonArray("overrides", new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .filter(one -> !isOfSame(one, boost))
        .forEach(overrides::add);
    overrides.add(boost);
    HttpResponse<String> changed = port.ask(
        "PATCH",
        path,
        new JsonObject().put("overrides", overrides).encode(),
        "If-Match",
        seen.headers().firstValue("ETag").orElse("*"));
    int status = printed(changed);
    if (status == 0 && present.isPresent()) {
      err()
          .printf(
              "%s of %s: %s → %s until %s%n",
              name(boost), id, words(present.get()), words(boost), until(changed, boost));
    }
    return status;
  }

  // The limit as it is now; records of tenants do not show theirs.
  private static Optional<JsonObject> present(JsonObject record, JsonObject boost) {
    return record.getJsonArray("limits", new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .filter(limit -> limit.getString("name").equals(name(boost)))
        .findFirst();
  }

  private static String until(HttpResponse<String> changed, JsonObject boost) {
    return JsonInput.object(changed.body()).getJsonArray("overrides", new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .filter(one -> isOfSame(one, boost))
        .map(one -> one.getString("until"))
        .findFirst()
        .orElse(boost.getString("until"));
  }

  private static String name(JsonObject boost) {
    return boost.getString("bucket", boost.getString("limits"));
  }

  private static double size(JsonObject of) {
    return of.getDouble("opsPerSec", of.getDouble("limit", 0.0));
  }

  private static String words(JsonObject of) {
    String size = BigDecimal.valueOf(size(of)).stripTrailingZeros().toPlainString();
    String end =
        of.containsKey("from") && of.containsKey("until") ? " until " + of.getString("until") : "";
    return size + (of.containsKey("opsPerSec") ? "/s" : "") + end;
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
