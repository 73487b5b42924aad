package io.weir.node.hold;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.node.metrics.NodeMetrics;
import io.weir.throttle.Ended;
import io.weir.throttle.Ending;
import io.weir.throttle.Held;
import io.weir.throttle.HoldStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the requests of this node hold: renewed while they run, and ended with them; a hold whose end could not be told is
 * told again, until its lease is over. Also ends what dead nodes have left. Safe for use by many threads.
 */
public final class Holds {
  private static final Logger LOG = LoggerFactory.getLogger(Holds.class);
  private static final long TICK_MILLIS = 500;
  private static final int RENEWED_AT_ONCE = 500;
  private static final int RENEWALS_PER_LEASE = 3;
  private static final long AGAIN_MILLIS = 500;
  private static final long NANOS_PER_MICRO = 1000;

  private final Vertx vertx;
  private final HoldStore store;
  private final NodeMetrics metrics;
  private final Map<Held, Long> renewedNanos = new ConcurrentHashMap<>();

  public Holds(Vertx vertx, HoldStore store, NodeMetrics metrics) {
    this.vertx = vertx;
    this.store = store;
    this.metrics = metrics;
    metrics.holds(renewedNanos::size);
  }

  /** Begins to renew, and to end what nobody renews. Ends with Vert.x. */
  public void start() {
    vertx.setPeriodic(TICK_MILLIS, fired -> renewThoseDue());
    vertx.setPeriodic(2 * TICK_MILLIS, fired -> expire());
  }

  /** A request holds this from now on. */
  public void begin(Held held) {
    renewedNanos.put(held, System.nanoTime());
  }

  /** The request is over. Completes when that is known to all, or with a failure when it could not be told. */
  public Future<Ended> end(Held held, Ending ending) {
    renewedNanos.remove(held);
    long until = System.nanoTime() + held.leaseMicros() * NANOS_PER_MICRO;
    return tell(held, ending, until).onSuccess(metrics::ended);
  }

  private Future<Ended> tell(Held held, Ending ending, long untilNanos) {
    return Future.fromCompletionStage(store.end(held, ending), vertx.getOrCreateContext())
        .recover(error -> System.nanoTime() - untilNanos < 0
            ? vertx
                .timer(AGAIN_MILLIS, TimeUnit.MILLISECONDS)
                .compose(due -> tell(held, ending, untilNanos))
            : Future.failedFuture(error));
  }

  private void renewThoseDue() {
    long now = System.nanoTime();
    List<Held> due = new ArrayList<>();
    renewedNanos.forEach((held, renewed) -> {
      long each = held.leaseMicros() * NANOS_PER_MICRO / RENEWALS_PER_LEASE;
      if (now - renewed >= each && due.size() < RENEWED_AT_ONCE) {
        due.add(held);
        renewedNanos.replace(held, renewed, now);
      }
    });
    if (!due.isEmpty()) {
      store.renew(due).whenComplete((held, error) -> {
        if (error != null) {
          LOG.debug("{} holds could not be renewed", due.size());
        } else {
          metrics.lostHolds(held.stream().filter(isHeld -> !isHeld).count());
        }
      });
    }
  }

  private void expire() {
    store.expire().whenComplete((ended, error) -> {
      if (error == null && ended > 0) {
        metrics.expiredHolds(ended);
      }
    });
  }
}
