package io.weir.keys.command;

import static java.util.Objects.requireNonNull;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.AdminCommand;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.RateWords;
import io.weir.node.command.RowCommand;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code weir keys boost ID --bucket B --ops-per-sec 500 --for 2h}, and of tenants likewise. */
final class RecordBoost {
  private static final String KEYS = "/v1/keys/";
  private static final Pattern RATE = Pattern.compile("(\\d{1,13})/(s|min|h|d)");
  private static final Map<String, Integer> SECONDS =
      Map.of("s", 1, "min", 60, "h", 3600, "d", 86_400);

  private RecordBoost() {}

  static CommandRow row(String kind) {
    return CommandRow.of(
            "boost",
            "Gives a record a higher limit for a while; it ends without another command.",
            call -> boost(call, "/v1/" + kind + "/"))
        .argument("ID", "its id")
        .option("--bucket", "BUCKET", "a bucket")
        .option("--ops-per-sec", "N", "the rate of the bucket until then")
        .option("--rate", "RATE", "the same per s, min, h or d, such as 20/h")
        .option("--limits", "LIMIT", "a quota, or permits")
        .option("--limit", "N", "the size of the quota or the permits until then")
        .required("--for", "TIME", "90s, 30m, 12h, 7d, or the instant of its end")
        .flag("--lower", "lowers the limit, which is refused otherwise");
  }

  // The other overrides stay; the version makes sure that none is lost.
  private static int boost(RowCommand call, String records) throws IOException {
    String id = records.equals(KEYS) ? call.key("ID") : call.text("ID");
    String path = records + AdminCommand.segment(id);
    JsonObject boost = wanted(call);
    HttpResponse<String> seen = call.get(path);
    boolean isWithoutRecord = seen.statusCode() == 404;
    boolean isNewTenant = isWithoutRecord && !records.equals(KEYS);
    HttpResponse<String> limits = isWithoutRecord && !isNewTenant
        ? call.get("/v1/explain" + AdminCommand.query(Map.of("key", id)))
        : seen;
    if (!isNewTenant && call.failed(limits)) {
      return 1;
    }
    JsonObject record = isNewTenant ? new JsonObject() : JsonInput.object(limits.body());
    String of = name(boost) + " of " + id;
    Optional<JsonObject> present = present(record, boost);
    if (!call.flag("--lower") && present.isPresent() && size(boost) <= size(present.get())) {
      String now = Ago.sentence(words(present.get(), boost), call.now());
      call.err().printf("%s is %s (expected: more than that, or --lower)%n", of, now);
      return 1;
    }
    // A subject or a tenant without a record gets one by the change.
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
    if (status == 0) {
      String before =
          present.map(it -> Ago.sentence(words(it, boost), call.now()) + " → ").orElse("");
      String until = Ago.sentence("until " + until(changed, boost), call.now());
      call.err().printf("%s: %s%s %s%n", of, before, words(boost, present.orElse(boost)), until);
    }
    return status;
  }

  private static JsonObject wanted(RowCommand call) {
    List<String> sizes = Stream.of("--ops-per-sec", "--rate", "--limit")
        .filter(option -> !call.text(option).isEmpty())
        .toList();
    boolean isOfBucket = !call.text("--bucket").isEmpty();
    boolean isOfLimits = !call.text("--limits").isEmpty();
    boolean isRight = sizes.size() == 1
        && isOfBucket != isOfLimits
        && isOfLimits == sizes.get(0).equals("--limit");
    if (!isRight) {
      throw call.wrong(
          "expected: either --bucket and --ops-per-sec or --rate, or --limits and --limit");
    }
    JsonObject boost = isOfBucket
        ? new JsonObject().put("bucket", call.text("--bucket"))
        : new JsonObject()
            .put("limits", call.text("--limits"))
            .put("limit", number(call, "--limit"));
    if (sizes.get(0).equals("--ops-per-sec")) {
      boost.put("opsPerSec", number(call, "--ops-per-sec"));
    } else if (isOfBucket) {
      boost.put("rate", rate(call));
    }
    return boost.put("until", AdminCommand.moment(call.text("--for")));
  }

  private static String rate(RowCommand call) {
    String text = call.text("--rate");
    if (!RATE.matcher(text).matches()) {
      throw call.wrong(
          "--rate: '%s' (expected: such as 10/s, 60/min, 20/h or 1/d)".formatted(text));
    }
    return text;
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
        .filter(limit -> nameOf(limit).equals(name(boost)) && !limit.getBoolean("audit", false))
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
    if (isRate(of)) {
      return opsPerSec(of);
    }
    return of.getDouble(of.containsKey("capacity") ? "capacity" : "limit", 0.0);
  }

  private static boolean isRate(JsonObject of) {
    return of.containsKey("opsPerSec") || of.containsKey("rate");
  }

  private static double opsPerSec(JsonObject of) {
    Matcher rate = RATE.matcher(of.getString("rate", ""));
    return rate.matches()
        ? Double.parseDouble(rate.group(1)) / requireNonNull(SECONDS.get(rate.group(2)))
        : of.getDouble("opsPerSec");
  }

  // A rate is in the unit of both, so that they can be compared.
  private static String words(JsonObject of, JsonObject other) {
    String end =
        of.containsKey("from") && of.containsKey("until") ? " until " + of.getString("until") : "";
    return (isRate(of) ? RateWords.of(size(of), size(other)) : plain(size(of))) + end;
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }

  private static boolean isOfSame(JsonObject one, JsonObject other) {
    return String.valueOf(one.getValue("bucket")).equals(String.valueOf(other.getValue("bucket")))
        && String.valueOf(one.getValue("limits")).equals(String.valueOf(other.getValue("limits")))
        && !one.containsKey("operation");
  }
}
