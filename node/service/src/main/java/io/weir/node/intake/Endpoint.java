package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The routes of one path.
 *
 * @param area of their door
 */
record Endpoint(List<Route> routes, Optional<Area> area) {
  Endpoint {
    routes = List.copyOf(routes);
  }

  /** Answers by the route of the method; fails with the refusal of another method. */
  Future<Void> serve(HttpServerRequest request, Map<String, String> parameters) {
    for (Route route : routes) {
      if (route.accepts(request.method())) {
        if (!route.takesAll()) {
          QueryParameters.requireKnown(request, route.query());
        }
        return route.handler().apply(new RoutedRequest(request, parameters));
      }
    }
    QueryParameters.requireKnown(request, Set.of());
    RefusedException refusal = RefusedException.methodNotAllowed(routes.stream()
        .map(route -> route.method().name())
        .sorted()
        .collect(Collectors.joining(", ")));
    return area.map(known -> known.refuse(request, refusal))
        .orElseGet(() -> Future.failedFuture(refusal));
  }
}
