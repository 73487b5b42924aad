package io.weir.keys.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.command.CommandRow;
import io.weir.node.command.RowCommand;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Optional;

/** {@code weir keys boost ID --bucket B --ops-per-sec 500 --for 2h}, and of tenants likewise. */
final class RecordBoost {
  private static final String KEYS = "/v1/keys/";

  private RecordBoost() {}

  static CommandRow row(String kind) {
    return CommandRow.of(
            "boost",
            "Gives a record a higher limit for a while; it ends without another command.",
            call -> boost(call, "/v1/" + kind + "/"))
        .argument("ID", "its id")
        .option("--bucket", "BUCKET", "a bucket")
        .option("--ops-per-sec", "N", "the rate of the bucket until then")
        .option("--limits", "LIMIT", "a quota, or permits")
        .option("--limit", "N", "the size of the quota or the permits until then")
        .required("--for", "TIME", "90s, 30m, 12h, 7d, or the instant of its end")
        .flag("--lower", "lowers the limit, which is refused otherwise");
  }

  // The other overrides stay; the version makes sure that none is lost.
  private static int boost(RowCommand call, String records) throws IOException {
    String path = records + AdminCommand.segment(call.text("ID"));
    JsonObject boost = wanted(call);
    HttpResponse<String> seen = call.get(path);
    boolean isWithoutRecord = records.equals(KEYS) && seen.statusCode() == 404;
    HttpResponse<String> limits = isWithoutRecord
        ? call.get("/v1/explain" + AdminCommand.query(Map.of("key", call.text("ID"))))
        : seen;
    if (call.failed(limits)) {
      return 1;
    }
    JsonObject record = JsonInput.object(limits.body());
    String of = name(boost) + " of " + call.text("ID");
    Optional<JsonObject> present = present(record, boost);
    if (!call.flag("--lower") && present.isPresent() && size(boost) <= size(present.get())) {
      call.err()
          .printf("%s is %s (expected: more than that, or --lower)%n", of, words(present.get()));
      return 1;
    }
    // A subject without a record gets one by the change.
    String[] condition = isWithoutRecord
        ? new String[] {"If-None-Match", "*"}
        : new String[] {"If-Match", seen.headers().firstValue("ETag").orElse("*")};
    HttpResponse<String> changed = call.port()
        .ask(
            "PATCH",
            path,
            new JsonObject().put("overrides", overrides(record, boost)).encode(),
            condition);
    int status = call.printed(changed);
    if (status == 0 && present.isPresent()) {
      call.err()
          .printf(
              "%s: %s → %s until %s%n",
              of, words(present.get()), words(boost), until(changed, boost));
    }
    return status;
  }

  private static JsonObject wanted(RowCommand call) {
    boolean isRate = isGiven(call, "--bucket", "--ops-per-sec");
    if (isRate == isGiven(call, "--limits", "--limit")) {
      throw call.wrong("expected: either --bucket and --ops-per-sec, or --limits and --limit");
    }
    JsonObject boost = isRate
        ? new JsonObject()
            .put("bucket", call.text("--bucket"))
            .put("opsPerSec", number(call, "--ops-per-sec"))
        : new JsonObject()
            .put("limits", call.text("--limits"))
            .put("limit", number(call, "--limit"));
    return boost.put("until", AdminCommand.moment(call.text("--for")));
  }

  private static boolean isGiven(RowCommand call, String name, String size) {
    boolean isNamed = !call.text(name).isEmpty();
    if (isNamed == call.text(size).isEmpty()) {
      throw call.wrong("%s and %s: one is missing".formatted(name, size));
    }
    return isNamed;
  }

  private static long number(RowCommand call, String option) {
    if (!call.text(option).matches("\\d{1,15}")) {
      throw call.wrong("%s: '%s' (expected: a number)".formatted(option, call.text(option)));
    }
    return Long.parseLong(call.text(option));
  }

  private static JsonArray overrides(JsonObject record, JsonObject boost) {
    JsonArray overrides = new JsonArray();
    record.getJsonArray("overrides", new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .filter(one -> !isOfSame(one, boost))
        .forEach(overrides::add);
    return overrides.add(boost);
  }

  // The limit as it is now; records of tenants do not show theirs.
  private static Optional<JsonObject> present(JsonObject record, JsonObject boost) {
    return record.getJsonArray("limits", new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .filter(limit -> nameOf(limit).equals(name(boost)))
        .findFirst();
  }

  // Records have name and limit, explanations limit and capacity.
  private static String nameOf(JsonObject limit) {
    return limit.getString("name", String.valueOf(limit.getValue("limit")));
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
    String ofLimits = of.containsKey("capacity") ? "capacity" : "limit";
    return of.containsKey("opsPerSec") ? of.getDouble("opsPerSec") : of.getDouble(ofLimits, 0.0);
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
}
