package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.weir.node.answer.ProblemDetails;
import java.util.function.Supplier;

/**
 * Whether a node should get requests: it is not stopping, and the shared state answers. Mutable; safe for
 * use by many threads.
 */
public final class Readiness {
  private final Supplier<Future<Void>> probe;
  private volatile boolean stopping;

  /** @param probe asks the shared state anything */
  public Readiness(Supplier<Future<Void>> probe) {
    this.probe = probe;
  }

  /** From now on the node is not ready any more. */
  public void stop() {
    stopping = true;
  }

  /** {@code GET /health/live}: the process serves. */
  public void live(RoutingContext routing) {
    routing.json(new JsonObject().put("status", "live"));
  }

  /** {@code GET /health/ready}: 200 or 503. */
  public void ready(RoutingContext routing) {
    HttpServerResponse response = routing.response();
    if (stopping) {
      ProblemDetails.of(503, "stopping", "The node is stopping").send(response);
      return;
    }
    probe
        .get()
        .onSuccess(answered -> routing.json(new JsonObject().put("status", "ready")))
        .onFailure(error -> ProblemDetails.unavailable().send(response));
  }
}
