package io.weir.node.intake;

import java.util.List;
import java.util.Optional;

/** An interface of the node for one kind of request: its routes, for one event loop. */
public interface Door {
  /** Its routes, the same at each call. */
  List<Route> routes();

  /** The area of all its routes; empty if paths beside its routes belong to the upstream. */
  default Optional<Area> area() {
    return Optional.empty();
  }
}
