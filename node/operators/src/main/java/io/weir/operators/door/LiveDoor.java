package io.weir.operators.door;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.node.admin.OperatorWork;
import io.weir.node.admin.Operators;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.operators.live.LiveFeed;
import io.weir.operators.live.Pulse;
import java.util.List;

/**
 * {@code GET /v1/status}: whether the cluster needs an operator, {@code GET /v1/nodes}: the nodes and what they decided
 * in the last five minutes, and {@code GET /v1/live}: the same and the top as it changes; for operators.
 */
public final class LiveDoor implements Door {
  private final Vertx vertx;
  private final OperatorWork work;
  private final Operators operators;
  private final Pulse pulse;
  private final LiveFeed feed;

  /** A door of one event loop. */
  public LiveDoor(Vertx vertx, Operators operators, Pulse pulse, LiveFeed feed) {
    this.vertx = vertx;
    this.work = new OperatorWork(vertx);
    this.operators = operators;
    this.pulse = pulse;
    this.feed = feed;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get("/v1/status", this::status),
        Route.get("/v1/nodes", this::nodes),
        Route.get("/v1/live", this::watch));
  }

  private Future<Void> status(RoutedRequest request) {
    Operator operator = operators.require(request.http(), Scope.READ);
    return pulse.status(work, operator.name()).compose(found -> request.answer(200, found));
  }

  private Future<Void> nodes(RoutedRequest request) {
    Operator operator = operators.require(request.http(), Scope.READ);
    return pulse
        .look(work, operator.name(), pulse.oldest())
        .compose(found -> request.answer(200, found));
  }

  private Future<Void> watch(RoutedRequest request) {
    Operator operator = operators.require(request.http(), Scope.READ);
    return feed.watch(
        vertx,
        work,
        request.http(),
        operator.name(),
        () -> operators.requireStill(request.http(), Scope.READ));
  }
}
