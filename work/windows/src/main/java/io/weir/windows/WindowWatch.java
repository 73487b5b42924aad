package io.weir.windows;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.throttle.PolicySource;
import io.weir.windows.WindowAnswer.Listed;
import java.util.Map;

/** Reads all windows of the policy periodically, for the metrics, even if no request uses them any more. */
public final class WindowWatch {
  private static final long EVERY_MILLIS = 15_000;

  private final Vertx vertx;
  private final PolicySource policies;
  private final WindowStore store;
  private final WindowMeters meters;

  public WindowWatch(Vertx vertx, PolicySource policies, WindowStore store, WindowMeters meters) {
    this.vertx = vertx;
    this.policies = policies;
    this.store = store;
    this.meters = meters;
  }

  /** Starts; ends with Vert.x. */
  public void start() {
    vertx.setPeriodic(EVERY_MILLIS, due -> look());
  }

  private void look() {
    Map<String, WindowRule> windows = Windows.of(policies.current().policy());
    meters.keep(windows.keySet());
    for (WindowRule rule : windows.values()) {
      Future<Listed> unused = Future.fromCompletionStage(store.look(rule, true, 1))
          .onSuccess(listed -> meters.stands(rule.name(), listed.view()))
          .onFailure(error -> meters.unknown(rule.name()));
    }
  }
}
