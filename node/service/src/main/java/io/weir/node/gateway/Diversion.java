package io.weir.node.gateway;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.admission.IdentifiedRequest;

/** Answers the requests of some operations in place of the upstream. Owned by one event loop. */
public interface Diversion {
  /** Whether it answers requests of this operation. */
  boolean takes(IdentifiedRequest asked);

  /** Answers a paused request. */
  Future<Void> serve(HttpServerRequest request, IdentifiedRequest asked);
}
