package io.weir.node.extension;

import io.vertx.core.Future;

/** An extension of a running node. Safe for use by many threads. */
public interface OpenExtension {
  /** Its parts on one event loop. Called on that loop, before it serves. */
  LoopExtension onLoop(LoopParts loop);

  /** Starts workers and watchers, once the doors are open. They end with the Vert.x instance. */
  default Future<?> start(NodeParts node) {
    return Future.succeededFuture();
  }
}
