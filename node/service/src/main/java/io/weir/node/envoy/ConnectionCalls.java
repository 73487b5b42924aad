package io.weir.node.envoy;

import io.vertx.core.http.HttpServerRequest;
import io.weir.node.intake.WorkBudget;
import io.weir.node.intake.WorkRounds;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Serves the calls of one connection, few before the event loop has read other connections again; later ones wait in
 * their order. A call that its caller ends meanwhile is not served. Mutable; owned by its event loop.
 */
final class ConnectionCalls {
  /** The calls that are served at once. */
  static final int AT_ONCE = 8;

  private final WorkBudget budget;
  private final Consumer<HttpServerRequest> service;
  private final Set<HttpServerRequest> waiting = new LinkedHashSet<>();

  /** @param service serves a call whose body has not been read */
  ConnectionCalls(WorkRounds rounds, Consumer<HttpServerRequest> service) {
    this.budget = new WorkBudget(rounds, AT_ONCE);
    this.service = service;
  }

  /** Serves a call, now or in a later round. */
  void serve(HttpServerRequest request) {
    if (waiting.isEmpty() && !budget.isSpent()) {
      serveNow(request);
      return;
    }
    request.pause();
    request.exceptionHandler(ended -> waiting.remove(request));
    waiting.add(request);
  }

  private void serveNow(HttpServerRequest request) {
    budget.spend();
    if (budget.isSpent()) {
      budget.goOnLater(this::goOn);
    }
    service.accept(request);
  }

  private void goOn() {
    // A call may end others, as one that closes the connection does.
    while (!waiting.isEmpty() && !budget.isSpent()) {
      HttpServerRequest request = waiting.iterator().next();
      waiting.remove(request);
      serveNow(request);
      request.resume();
    }
  }
}
