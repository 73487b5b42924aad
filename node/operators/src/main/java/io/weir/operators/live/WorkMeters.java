package io.weir.operators.live;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.admin.OperatorWork;
import io.weir.operators.nodes.AllNodes;
import io.weir.state.policy.NodeQuestions.Answers;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Asks all nodes for their counters of upstreams, jobs and windows. Safe for use by many threads. */
public final class WorkMeters {
  private static final String TOPIC = "work";
  private static final String PREFIX = "throttle.";
  private static final Set<String> NAMES = Set.of(
      "throttle.upstream.attempts",
      "throttle.upstream.latency",
      "throttle.upstream.queue",
      "throttle.upstream.breaker",
      "throttle.upstream.inflight",
      "throttle.upstream.limit",
      "throttle.jobs.queue",
      "throttle.jobs.ended",
      "throttle.window.open",
      "throttle.window.failed",
      "throttle.window.watermark");
  private static final int MOST = 1000;

  private final AllNodes nodes;
  private final MeterRegistry meters;

  /** Meters that answer for this node, too. */
  public WorkMeters(AllNodes nodes, MeterRegistry meters) {
    this.nodes = nodes;
    this.meters = meters;
    nodes
        .questions()
        .answer(TOPIC, text -> CompletableFuture.completedFuture(own().encode()));
  }

  /**
   * Asks all nodes; only this one if Redis is away.
   *
   * @param operator who asks
   */
  public Future<JsonObject> look(OperatorWork work, String operator) {
    return nodes.ask(work, operator, TOPIC, "").compose(answers -> work.run(() -> view(answers)));
  }

  private JsonObject view(Optional<Answers> answers) {
    Map<String, JsonObject> byName = nodes.byName(answers, own());
    return new JsonObject()
        .put("nodes", new JsonArray(List.copyOf(byName.values())))
        .put("nodesAsked", Math.max(byName.size(), AllNodes.orNone(answers).asked()))
        .put("nodesAnswered", byName.size())
        .put("redis", answers.isEmpty() ? "away" : "answers");
  }

  private JsonObject own() {
    Map<String, Row> rows = new TreeMap<>();
    meters.getMeters().stream()
        .filter(meter -> NAMES.contains(meter.getId().getName()))
        .flatMap(WorkMeters::row)
        .forEach(row -> rows.merge(row.name(), row, Row::plus));
    JsonArray all = new JsonArray();
    rows.values().stream().limit(MOST).forEach(row -> all.add(row.toJson()));
    return nodes.named(new JsonObject().put("meters", all));
  }

  // Attempts of all keys of a provider are one; a gauge that has nothing to tell is left out.
  private static Stream<Row> row(Meter meter) {
    Map<String, String> tags = new TreeMap<>();
    for (Tag tag : meter.getId().getTags()) {
      tags.put(tag.getKey(), tag.getValue());
    }
    tags.remove("key");
    String name = meter.getId().getName().substring(PREFIX.length());
    if (meter instanceof Timer timer) {
      return Stream.of(new Row(name, tags, (double) timer.count(), buckets(timer)));
    }
    double value = meter instanceof Counter counter
        ? counter.count()
        : meter instanceof Gauge gauge ? gauge.value() : Double.NaN;
    return Double.isFinite(value) ? Stream.of(new Row(name, tags, value, List.of())) : Stream.of();
  }

  // The bounds in milliseconds with the times that do not exceed them, without those that are as
  // the one before.
  private static List<Bucket> buckets(Timer timer) {
    List<CountAtBucket> all = Arrays.asList(timer.takeSnapshot().histogramCounts());
    return IntStream.range(0, all.size())
        .filter(i -> all.get(i).count() > (i == 0 ? 0 : all.get(i - 1).count()))
        .mapToObj(
            i -> new Bucket(all.get(i).bucket(TimeUnit.MILLISECONDS), all.get(i).count()))
        .filter(bucket -> Double.isFinite(bucket.bound()))
        .toList();
  }

  private record Bucket(double bound, double count) {}

  private record Row(String meter, Map<String, String> tags, double value, List<Bucket> buckets) {
    String name() {
      return meter + tags;
    }

    Row plus(Row other) {
      return new Row(meter, tags, value + other.value, buckets);
    }

    JsonObject toJson() {
      JsonObject labels = new JsonObject();
      tags.forEach(labels::put);
      JsonObject json = new JsonObject().put("name", meter).put("tags", labels).put("value", value);
      if (buckets.isEmpty()) {
        return json;
      }
      JsonArray counts = new JsonArray();
      buckets.forEach(bucket -> counts.add(JsonArray.of(bucket.bound(), bucket.count())));
      return json.put("buckets", counts);
    }
  }
}
