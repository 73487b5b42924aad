package io.weir.node.intake;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.RefusedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The routes of all doors of a port. A path without parameters is found in a map; a path with parameters is compared
 * with the routes of its area alone. Owned by one event loop; does not change after its construction.
 */
final class Routes {
  private final Map<String, Endpoint> fixed = new HashMap<>();
  private final List<TemplatesOfArea> areas = new ArrayList<>();
  private final Function<HttpServerRequest, Future<Void>> others;

  /** @param others answers requests whose path belongs to no door */
  Routes(List<Door> doors, Function<HttpServerRequest, Future<Void>> others) {
    this.others = others;
    doors.forEach(this::add);
  }

  /** Answers by the route that a request fits; throws, or fails with, the refusal of a request that fits none. */
  Future<Void> serve(HttpServerRequest request) {
    String path = request.path();
    Endpoint endpoint = fixed.get(path);
    if (endpoint != null) {
      return endpoint.serve(request, Map.of());
    }
    for (TemplatesOfArea area : areas) {
      if (path.startsWith(area.area().prefix())) {
        return area.serve(request, path);
      }
    }
    return others.apply(request);
  }

  /** Whether a path belongs to a route that is asked about the request of another server's caller. */
  boolean isOfAnother(String path) {
    return areas.stream()
        .filter(area -> path.startsWith(area.area().prefix()))
        .anyMatch(TemplatesOfArea::takesAll);
  }

  private void add(Door door) {
    Map<PathTemplate, Endpoint> templates = new LinkedHashMap<>();
    Map<String, List<Route>> byPath =
        door.routes().stream().collect(groupingBy(Route::path, LinkedHashMap::new, toList()));
    byPath.forEach((path, routes) -> {
      Endpoint endpoint = new Endpoint(routes, door.area());
      if (PathTemplate.isTemplate(path)) {
        templates.put(new PathTemplate(path, areaOf(path, door).patterns()), endpoint);
      } else if (fixed.put(path, endpoint) != null) {
        throw new IllegalArgumentException("path: '%s' (expected: of one door)".formatted(path));
      }
    });
    door.area().ifPresent(area -> areas.add(new TemplatesOfArea(area, templates)));
  }

  private static Area areaOf(String path, Door door) {
    return door.area()
        .filter(area -> path.startsWith(area.prefix()))
        .orElseThrow(() -> new IllegalArgumentException(
            "path: '%s' (expected: in the area of its door)".formatted(path)));
  }

  private record TemplatesOfArea(Area area, Map<PathTemplate, Endpoint> endpoints) {
    boolean takesAll() {
      return endpoints.values().stream()
          .flatMap(endpoint -> endpoint.routes().stream())
          .anyMatch(Route::takesAll);
    }

    Future<Void> serve(HttpServerRequest request, String path) {
      for (Map.Entry<PathTemplate, Endpoint> endpoint : endpoints.entrySet()) {
        Optional<Map<String, String>> parameters = endpoint.getKey().match(path);
        if (parameters.isPresent()) {
          return endpoint.getValue().serve(request, parameters.get());
        }
      }
      QueryParameters.requireKnown(request, Set.of());
      return area.refuse(request, new RefusedException(area.unknown()));
    }
  }
}
