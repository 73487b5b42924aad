package io.weir.node.window;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.window.WindowRule;
import io.weir.state.redis.RedisWindows;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Claims with an unknown outcome, as the shared state did not answer in time: they are taken back once it answers,
 * unless their leases have expired. Mutable; owned by its event loop.
 */
final class UnheardClaims {
  private static final long AGAIN_MILLIS = 300;
  private static final int AT_ONCE = 100;
  /** For each window; further claims end with their leases. */
  private static final int MOST = 1000;

  private final Vertx vertx;
  private final Context context;
  private final RedisWindows store;
  /** The end of the lease, by window and id. */
  private final Map<WindowRule, Map<String, Long>> unheard = new HashMap<>();

  private boolean isTold;

  UnheardClaims(Vertx vertx, Context context, RedisWindows store) {
    this.vertx = vertx;
    this.context = context;
    this.store = store;
  }

  /** Adds a claim. */
  void add(WindowRule rule, String id) {
    Map<String, Long> ids = unheard.computeIfAbsent(rule, known -> new HashMap<>());
    if (ids.size() < MOST) {
      ids.put(id, System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(rule.leaseMicros()));
    }
    tellLater();
  }

  private void tellLater() {
    if (!isTold && !unheard.isEmpty()) {
      isTold = true;
      vertx.setTimer(AGAIN_MILLIS, due -> tell());
    }
  }

  private void tell() {
    long now = System.nanoTime();
    unheard.values().forEach(ids -> ids.values().removeIf(until -> now - until >= 0));
    unheard.values().removeIf(Map::isEmpty);
    List<Future<Void>> told = Map.copyOf(unheard).entrySet().stream()
        .map(of -> tell(of.getKey(), of.getValue()))
        .toList();
    Future.join(told).onComplete(done -> {
      isTold = false;
      tellLater();
    });
  }

  private Future<Void> tell(WindowRule rule, Map<String, Long> ids) {
    List<String> some = ids.keySet().stream().limit(AT_ONCE).toList();
    return Future.fromCompletionStage(store.takeBack(rule, some), context)
        .onSuccess(heard -> some.forEach(ids::remove))
        .mapEmpty();
  }
}
