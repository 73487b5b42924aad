package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A door behind a step that admits its requests.
 *
 * @param admission completes before a request gets to the door; if it fails, it is refused
 */
public record AdmittingDoor(Door door, Function<HttpServerRequest, Future<Void>> admission)
    implements Door {
  @Override
  public List<Route> routes() {
    return door.routes().stream().map(route -> route.after(admission)).toList();
  }

  @Override
  public Optional<Area> area() {
    return door.area().map(area -> area.after(admission));
  }
}
