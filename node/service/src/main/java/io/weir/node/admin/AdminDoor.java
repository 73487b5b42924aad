package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.node.metrics.NodeMetrics;
import java.util.List;

/** The door for probes and dashboards: health, metrics, and the OpenAPI description. All may use it. */
public final class AdminDoor implements Door {
  private final Readiness readiness;
  private final NodeMetrics metrics;
  private final String openApi;

  /** @param openApi the OpenAPI description, as JSON */
  public AdminDoor(Readiness readiness, NodeMetrics metrics, String openApi) {
    this.readiness = readiness;
    this.metrics = metrics;
    this.openApi = openApi;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get("/health/live", readiness::live).withHead(),
        Route.get("/health/ready", readiness::ready).withHead(),
        Route.get("/metrics", this::metrics).withHead(),
        Route.get("/openapi.json", this::openApi).withHead());
  }

  private Future<Void> metrics(RoutedRequest request) {
    return request
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")
        .end(metrics.scrape());
  }

  private Future<Void> openApi(RoutedRequest request) {
    return request
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .end(openApi);
  }
}
