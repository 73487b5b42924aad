package io.weir.operators.live;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.weir.node.admin.OperatorWork;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.operators.cases.CaseQuery;
import io.weir.operators.cases.CaseSearch;
import io.weir.operators.cases.CaseState;
import io.weir.operators.top.TopView;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server-sent events (WHATWG HTML, "Server-sent events") of the pulse, the top and the cases that are open, for those who
 * watch: the nodes are asked once for all of a node, and not at all while nobody watches. Mutable; safe for use by many threads.
 */
public final class LiveFeed {
  private static final Logger LOG = LoggerFactory.getLogger(LiveFeed.class);
  private static final int MOST = 64;
  private static final int MOST_OF_OPERATOR = 32;
  private static final String OF_ALL = "(those who watch)";
  private static final int TOP_ROWS = 10;
  private static final CaseQuery OPEN =
      new CaseQuery(CaseState.NOW, Optional.empty(), CaseQuery.MOST);

  /** The browser connects again. */
  private static final Duration LASTS = Duration.ofMinutes(10);

  private static final ProblemDetails TOO_MANY =
      ProblemDetails.of(503, "streams_full", "Too many watch this node");

  private final Pulse pulse;
  private final TopView top;
  private final CaseSearch cases;
  private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
  private final Bulkhead places = new Bulkhead(MOST_OF_OPERATOR, MOST, MOST);
  private final SentSpans sent; // owned by the loop of start
  private boolean isLooking; // owned by the loop of start

  public LiveFeed(Pulse pulse, TopView top, CaseSearch cases) {
    this.pulse = pulse;
    this.top = top;
    this.cases = cases;
    this.sent = new SentSpans(pulse.span());
  }

  /**
   * One who watches.
   *
   * @param admitted fails if the operator may not look any more
   * @param over completes when the answer has ended
   */
  private record Stream(
      Context loop, HttpServerResponse response, Supplier<Future<?>> admitted, Promise<Void> over) {
    void send(String text) {
      loop.runOnContext(now -> admitted
          .get()
          .onSuccess(still -> {
            if (!response.closed() && !response.ended() && !response.writeQueueFull()) {
              var unused = response.write(text);
            }
          })
          .onFailure(refused -> end()));
    }

    void end() {
      loop.runOnContext(now -> {
        if (!response.ended() && !response.closed()) {
          var unused = response.end();
        }
        over.tryComplete();
      });
    }
  }

  /** Asks the nodes and tells those who watch, every two seconds. */
  public void start(Vertx vertx) {
    OperatorWork work = new OperatorWork(vertx);
    vertx.setPeriodic(Duration.ofSeconds(Span.SECONDS).toMillis(), timer -> {
      if (!streams.isEmpty() && !isLooking) {
        isLooking = true;
        Future<JsonObject> nodes = pulse.look(work, OF_ALL, sent.since(pulse.oldest()));
        events(work, nodes)
            .onSuccess(text -> {
              sent.note(nodes.result());
              streams.forEach(stream -> stream.send(text));
            })
            .onFailure(error -> LOG.warn("nothing could be sent to the watching browsers", error))
            .onComplete(over -> isLooking = false);
      }
    });
  }

  private Future<String> events(OperatorWork work, Future<JsonObject> nodes) {
    return Future.all(
            nodes.map(found -> event("pulse", found)),
            top.look(work, TOP_ROWS).map(names -> event("top", names)).otherwise(""),
            cases.find(work, OF_ALL, OPEN).map(found -> event("cases", found)))
        .map(events -> String.join("", events.<String>list()));
  }

  private static String event(String name, JsonObject data) {
    return "event: %s\ndata: %s\n\n".formatted(name, data.encode());
  }

  /**
   * Tells a request what happens until its caller hangs up, or some minutes are over.
   *
   * @param operator who watches
   * @param admitted fails if the operator may not look any more; then it ends
   * @return completes when the answer has ended; fails with {@link RefusedException} if too many watch
   */
  public Future<Void> watch(
      Vertx vertx,
      OperatorWork work,
      HttpServerRequest request,
      String operator,
      Supplier<Future<?>> admitted) {
    Portion place =
        places.tryTake(operator, "", 1).orElseThrow(() -> new RefusedException(TOO_MANY));
    Context loop = vertx.getOrCreateContext();
    Promise<Void> over = Promise.promise();
    Stream stream = new Stream(loop, request.response(), admitted, over);
    streams.add(stream);
    request
        .response()
        .setChunked(true)
        .putHeader("Content-Type", "text/event-stream")
        .putHeader("Cache-Control", "no-store")
        .putHeader("X-Accel-Buffering", "no")
        .closeHandler(closed -> over.tryComplete());
    request.connection().shutdownHandler(stopping -> stream.end());
    request.resume();
    long timer = vertx.setTimer(LASTS.toMillis(), late -> stream.end());
    events(work, pulse.look(work, OF_ALL, pulse.oldest())).onSuccess(stream::send);
    return over.future().onComplete(ended -> {
      vertx.cancelTimer(timer);
      place.free();
      streams.remove(stream);
    });
  }
}
