package io.weir.operators.live;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.weir.node.extension.NodeBase;
import io.weir.operators.cases.CaseSearch;
import io.weir.operators.nodes.AllNodes;
import io.weir.operators.nodes.RedisNodes;
import io.weir.operators.status.AwayWords;
import io.weir.operators.status.ClusterStatus;
import io.weir.operators.status.NodeStatus;
import io.weir.operators.status.PublishedPolicy;
import io.weir.operators.status.Symptom;
import io.weir.operators.top.TopView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends the spans of a node in time, and describes the node. Owned by the extension. */
public final class Beat {
  private static final Logger LOG = LoggerFactory.getLogger(Beat.class);
  /** A node may hear Redis's time late; its span ends a little after the others'. */
  private static final Duration AFTER = Duration.ofMillis(50);

  private static final Duration RECORDED_EVERY = Duration.ofSeconds(5);

  private static final Map<String, String> GAUGES = Map.of(
      "away", "throttle.shared.state.away",
      "leased", "throttle.leased.operations",
      "held", "throttle.held.requests",
      "holds", "throttle.holds");

  private final NodeBase node;
  private final Supplier<Instant> now;
  private final Instant begun;
  private final Counted counted;
  private final NodeStatus status;
  private final PublishedPolicy published;
  private final Pulse pulse;
  private final LiveFeed feed;
  private final WorkMeters work;
  private final RedisNodes records;
  private volatile boolean isEnding;

  /**
   * A beat that begins with {@link #start}.
   *
   * @param symptoms what this node looks for
   * @param now tells Redis's time
   */
  public Beat(
      NodeBase node,
      AllNodes nodes,
      TopView top,
      CaseSearch cases,
      List<Symptom> symptoms,
      Supplier<Instant> now) {
    this.node = node;
    this.now = now;
    this.begun = now.get();
    MeterRegistry meters = node.meters();
    this.counted = new Counted(() -> meters.find("throttle.decisions").counters());
    this.status = new NodeStatus(symptoms, meters, begun);
    this.published = new PublishedPolicy(node.policies());
    this.records = new RedisNodes(node.connections().redis());
    ClusterStatus cluster = new ClusterStatus(published::of, AwayWords.of(node.policies()));
    this.pulse = new Pulse(nodes, counted, this::facts, records::look, cluster, now);
    this.feed = new LiveFeed(pulse, top, cases);
    this.work = new WorkMeters(nodes, meters, System::nanoTime);
  }

  /** The state of the nodes, and their decisions. */
  public Pulse pulse() {
    return pulse;
  }

  /** Tells it to those who watch. */
  public LiveFeed feed() {
    return feed;
  }

  /** The counters of all nodes for upstreams, jobs and windows. */
  public WorkMeters work() {
    return work;
  }

  private JsonObject facts() {
    Runtime machine = Runtime.getRuntime();
    JsonObject facts = new JsonObject()
        .put("listens", node.config().listening().callers().toString())
        .put("upSince", begun.toString())
        .put("revision", node.policies().current().revision())
        .put("revisionSince", published.since().toString())
        .put("eventLoops", node.config().running().eventLoops())
        .put("heapUsedMb", (machine.totalMemory() - machine.freeMemory()) >> 20)
        .put("heapMostMb", machine.maxMemory() >> 20);
    GAUGES.forEach((name, meter) -> {
      Gauge gauge = node.meters().find(meter).gauge();
      facts.put(name, gauge == null ? 0 : gauge.value());
    });
    Timer redis = node.meters().find("throttle.store.latency").timer();
    facts.put("redisMostMs", redis == null ? 0 : redis.max(TimeUnit.MILLISECONDS));
    return status.describe(facts);
  }

  /** Ends each span when it is over, and tells those who watch, as long as the instance of Vert.x lives. */
  public void start(Vertx vertx) {
    published.look(now.get());
    feed.start(vertx);
    next(vertx);
    record();
    vertx.setPeriodic(RECORDED_EVERY.toMillis(), timer -> record());
  }

  // Without Redis no record is written; other nodes see this one as silent then.
  private void record() {
    if (!isEnding) {
      var unused = records
          .put(node.policies().questions().node(), facts())
          .whenComplete((done, error) -> {
            if (error != null) {
              LOG.debug("the record of this node was not written: {}", error.getMessage());
            }
          });
    }
  }

  /** Removes the record of the node, which ends; completes also if Redis is away. */
  public Future<Void> end() {
    isEnding = true;
    return Future.fromCompletionStage(records.end(node.policies().questions().node()))
        .otherwiseEmpty();
  }

  // Off the event loop: a node may have many meters.
  private void remember(Vertx vertx) {
    vertx
        .executeBlocking(() -> {
          work.remember();
          return null;
        })
        .onFailure(error -> LOG.warn("the meters of providers and jobs were not kept", error));
  }

  private void next(Vertx vertx) {
    long spanMillis = Duration.ofSeconds(Span.SECONDS).toMillis();
    long at = now.get().toEpochMilli();
    long ends = (Math.floorDiv(at, spanMillis) + 1) * spanMillis;
    vertx.setTimer(ends - at + AFTER.toMillis(), over -> {
      // By more than a span if the process stood still.
      long late = Math.max(ends, now.get().toEpochMilli());
      counted.end(Math.floorDiv(late, spanMillis) - 1);
      status.look(now.get());
      published.look(now.get());
      remember(vertx);
      next(vertx);
    });
  }
}
