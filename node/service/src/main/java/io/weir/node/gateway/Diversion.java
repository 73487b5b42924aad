package io.weir.node.gateway;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.admission.Asked;

/** Answers the requests of some operations in place of the upstream. Owned by one event loop. */
public interface Diversion {
  /** Whether it answers requests of this operation. */
  boolean takes(Asked asked);

  /** Answers a paused request. */
  Future<Void> serve(HttpServerRequest request, Asked asked);
}
