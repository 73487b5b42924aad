package io.weir.operators.live;

import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.admin.OperatorWork;
import io.weir.operators.live.LastMinute.Beginning;
import io.weir.operators.nodes.AllNodes;
import io.weir.state.policy.NodeQuestions.Answers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** Asks all nodes for their counters of upstreams, jobs and windows. Safe for use by many threads. */
public final class WorkMeters {
  private static final String TOPIC = "work";
  private static final Set<String> NAMES = Set.of(
      "throttle.upstream.attempts",
      "throttle.upstream.latency",
      "throttle.upstream.queue",
      "throttle.upstream.breaker",
      "throttle.upstream.inflight",
      "throttle.upstream.limit",
      "throttle.upstream.key.refused",
      "throttle.jobs.queue",
      "throttle.jobs.ended",
      "throttle.window.open",
      "throttle.window.failed",
      "throttle.window.watermark");
  private static final int MOST = 1000;

  private final AllNodes nodes;
  private final MeterRegistry meters;
  private final LastMinute lately;

  /**
   * Meters that answer for this node, too.
   *
   * @param nanos a clock that never goes back, such as {@link System#nanoTime}
   */
  public WorkMeters(AllNodes nodes, MeterRegistry meters, LongSupplier nanos) {
    this.nodes = nodes;
    this.meters = meters;
    this.lately = new LastMinute(nanos);
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
        .mergeIn(AllNodes.completeness(answers, byName.size()));
  }

  /** Keeps how the meters stand, if it is time to; takes a millisecond where there are many. */
  public void remember() {
    if (lately.isDue()) {
      lately.keep(rows());
    }
  }

  private Map<String, MeterRow> rows() {
    TreeMap<String, MeterRow> rows = new TreeMap<>();
    meters.getMeters().stream()
        .filter(meter -> NAMES.contains(meter.getId().getName()))
        .flatMap(meter -> MeterRow.of(meter).stream())
        .forEach(row -> rows.merge(row.id(), row, MeterRow::plus));
    while (rows.size() > MOST) {
      rows.pollLastEntry();
    }
    return rows;
  }

  private JsonObject own() {
    Beginning minute = lately.beginning();
    JsonArray all = new JsonArray();
    rows().values().forEach(row -> all.add(json(row, minute)));
    return nodes.named(
        new JsonObject().put("latelyMs", minute.age().toMillis()).put("meters", all));
  }

  private static JsonObject json(MeterRow row, Beginning minute) {
    JsonObject json = row.toJson();
    minute.grown(row).ifPresent(grown -> json.put("lately", grown.figures()));
    return json;
  }
}
