package io.weir.operators.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.FieldText;
import io.weir.node.command.RowCommand;
import io.weir.node.command.Table;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code weir work}: how providers, jobs and windows stand, in the words of the page. */
final class Work {
  private static final Pattern REST = Pattern.compile("cool:([^/]+)/([^/]+)");

  private static final String SPAN = "latelyMs";

  private static final long MINUTE_MILLIS = 60_000;

  /** The value of a breaker that is open, and of one that tries its provider with one request. */
  private static final int OPEN = 2;

  private static final int TRIED = 1;

  private final List<JsonObject> meters;
  private final JsonObject found;
  private final Instant now;

  private record Provider(String upstream, String name, JsonObject state) {
    String field(String field) {
      return state.getString(field + name, "");
    }
  }

  private Work(JsonObject found, Instant now) {
    this.found = found;
    this.now = now;
    this.meters = RowCommand.objects(found, "nodes").stream()
        .flatMap(node -> RowCommand.objects(node, "meters").stream()
            .map(meter -> meter.put(SPAN, node.getLong(SPAN, 0L))))
        .toList();
  }

  static CommandRow row() {
    return CommandRow.of(
            "work",
            "Shows how providers, jobs and windows stand: who is left alone and until when, what waits, "
                + "what failed in the last minute.",
            call -> call.printed(
                call.get("/v1/states"), found -> new Work(found, call.now()).print(call)))
        .watched();
  }

  private void print(RowCommand call) {
    List<JsonObject> jobs = RowCommand.objects(found, "jobs");
    List<JsonObject> windows = RowCommand.objects(found, "window");
    List<JsonObject> upstreams = RowCommand.objects(found, "upstream");
    if (jobs.isEmpty() && windows.isEmpty() && upstreams.isEmpty()) {
      call.out().println("The policy has no upstream of providers, no jobs and no windows.");
    }
    if (!jobs.isEmpty() || !upstreams.isEmpty()) {
      call.out().println("Rates, failures and p99: the last " + span());
    }
    providers().print(upstreams.stream().flatMap(this::providersOf).toList(), call.out());
    upstreams.stream().flatMap(this::rests).forEach(call.out()::println);
    print(jobs(), jobs, call);
    print(windows(), windows, call);
  }

  private static void print(Table<JsonObject> table, List<JsonObject> rows, RowCommand call) {
    if (!rows.isEmpty()) {
      call.out().println();
      table.print(rows, call.out());
    }
  }

  private Stream<Provider> providersOf(JsonObject upstream) {
    String name = upstream.getString("name");
    return metersOf("upstream.breaker", Map.of("upstream", name))
        .map(meter -> meter.getJsonObject("tags").getString("provider"))
        .distinct()
        .sorted()
        .map(provider -> new Provider(name, provider, upstream.getJsonObject("state")));
  }

  private Table<Provider> providers() {
    return Table.<Provider>of()
        .text("upstream", Provider::upstream)
        .text("provider", Provider::name)
        .number("rate", one -> perSecond("upstream.attempts", tags(one)))
        .number("failed", this::failed)
        .number("p99", this::p99)
        .number("under way", one -> number(one.field("busy:")))
        .sentence("now", this::standing);
  }

  private String failed(Provider one) {
    long all = counted("upstream.attempts", tags(one));
    return all == 0 ? "" : Math.round(100.0 * attempts(one, "bad") / all) + " %";
  }

  private long attempts(Provider one, String outcome) {
    return counted(
        "upstream.attempts",
        Map.of("upstream", one.upstream(), "provider", one.name(), "outcome", outcome));
  }

  // The least bound that 99 % of the times do not exceed.
  private String p99(Provider one) {
    List<List<JsonArray>> histograms = metersOf("upstream.latency", tags(one))
        .map(meter -> lately(meter).getJsonArray("buckets", new JsonArray()))
        .map(buckets -> buckets.stream().map(JsonArray.class::cast).toList())
        .toList();
    TreeMap<Double, Long> counts = new TreeMap<>();
    histograms.stream()
        .flatMap(List::stream)
        .map(bucket -> bucket.getDouble(0))
        .forEach(bound -> counts.put(
            bound,
            histograms.stream().mapToLong(buckets -> upTo(bound, buckets)).sum()));
    return counts.entrySet().stream()
        .filter(count -> 100 * count.getValue() >= 99 * counts.lastEntry().getValue())
        .findFirst()
        .map(count -> inWords(count.getKey()))
        .orElse("");
  }

  private static String inWords(double millis) {
    return millis < 1000
        ? "%.0f ms".formatted(Math.ceil(millis))
        : Ago.precisely(Math.round(millis));
  }

  // A bucket counts all times up to its bound; one that counts as many as the one before is left
  // out.
  private static long upTo(double bound, List<JsonArray> buckets) {
    return buckets.stream()
        .filter(bucket -> bucket.getDouble(0) <= bound)
        .mapToLong(bucket -> bucket.getLong(1))
        .max()
        .orElse(0);
  }

  private String standing(Provider one) {
    long breaker = highest("upstream.breaker", tags(one));
    if (breaker >= OPEN) {
      return "left alone after failures, tried again " + ahead(one, "open:");
    }
    if (breaker == TRIED) {
      return "tried with one request after failures";
    }
    if (isAhead(instant(one.field("cool:")))) {
      return "asked to be left alone, " + ahead(one, "cool:");
    }
    if (highest("upstream.key.refused", tags(one)) > 0) {
      return "refuses a key";
    }
    return attempts(one, "refused") > 0 ? "has refused its key" : "used";
  }

  private String ahead(Provider one, String field) {
    return Ago.ahead(instant(one.field(field)), now);
  }

  // A key of a provider is left alone because the provider asked for it, or refused the key.
  private Stream<String> rests(JsonObject upstream) {
    JsonObject state = upstream.getJsonObject("state");
    return state.fieldNames().stream()
        .map(REST::matcher)
        .filter(Matcher::matches)
        .filter(names -> isAhead(instant(state.getString(names.group()))))
        .map(names -> "Key %s of %s is left alone, used again %s"
            .formatted(
                names.group(2),
                names.group(1),
                Ago.words(instant(state.getString(names.group())), now)));
  }

  private Table<JsonObject> jobs() {
    return Table.<JsonObject>of()
        .text("jobs", Work::name)
        .number("waiting", one -> queued(one, "waiting") + queued(one, "checking"))
        .number("to be sent", one -> queued(one, "dispatch"))
        .number("running", one -> queued(one, "running"))
        .number("ended", one -> perSecond("jobs.ended", Map.of("operation", name(one))))
        .number("failed", one -> ended(one, "failed") + ended(one, "timed_out"));
  }

  private long queued(JsonObject job, String queue) {
    return highest("jobs.queue", Map.of("operation", name(job), "queue", queue));
  }

  private long ended(JsonObject job, String state) {
    return counted("jobs.ended", Map.of("operation", name(job), "state", state));
  }

  private Table<JsonObject> windows() {
    return Table.<JsonObject>of()
        .text("window", Work::name)
        .number("done up to", one -> ofWindow("window.watermark", one))
        .number("open", one -> ofWindow("window.open", one))
        .number("failed", one -> ofWindow("window.failed", one))
        .number("to be claimed", one -> field(one, "todo"))
        .number("next number", one -> field(one, "next"));
  }

  private long ofWindow(String meter, JsonObject window) {
    return highest(meter, Map.of("window", name(window)));
  }

  private static String field(JsonObject one, String name) {
    return number(one.getJsonObject("state").getString(name, ""));
  }

  // A number may have words behind it.
  private static String number(String text) {
    return text.split(" ", 2)[0];
  }

  private static String name(JsonObject one) {
    return one.getString("name");
  }

  private static Map<String, String> tags(Provider one) {
    return Map.of("upstream", one.upstream(), "provider", one.name());
  }

  private Stream<JsonObject> metersOf(String name, Map<String, String> tags) {
    return meters.stream()
        .filter(meter -> meter.getString("name").equals(name))
        .filter(meter -> tags.entrySet().stream()
            .allMatch(
                tag -> tag.getValue().equals(meter.getJsonObject("tags").getString(tag.getKey()))));
  }

  private long highest(String name, Map<String, String> tags) {
    return metersOf(name, tags)
        .mapToLong(meter -> meter.getLong("value", 0L))
        .max()
        .orElse(0);
  }

  // The counts of all nodes in the last minute; a node that has started since tells of its own
  // time.
  private long counted(String name, Map<String, String> tags) {
    return metersOf(name, tags)
        .mapToLong(meter -> lately(meter).getLong("value", 0L))
        .sum();
  }

  private String perSecond(String name, Map<String, String> tags) {
    double rate = metersOf(name, tags)
        .mapToDouble(meter ->
            1000.0 * lately(meter).getLong("value", 0L) / Math.max(1000, meter.getLong(SPAN, 0L)))
        .sum();
    return String.format(Locale.ROOT, "%.1f/s", rate);
  }

  // A node of an older release does not tell it.
  private static JsonObject lately(JsonObject meter) {
    return meter.getJsonObject("lately", new JsonObject());
  }

  private String span() {
    long millis = RowCommand.objects(found, "nodes").stream()
        .mapToLong(node -> node.getLong(SPAN, 0L))
        .max()
        .orElse(0);
    return millis < MINUTE_MILLIS ? Math.round(millis / 1000.0) + " s" : "minute";
  }

  private boolean isAhead(String instant) {
    return !instant.isEmpty() && Instant.parse(instant).isAfter(now);
  }

  private static String instant(String text) {
    return FieldText.instant(text).orElse("");
  }
}
