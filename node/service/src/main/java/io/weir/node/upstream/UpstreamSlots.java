package io.weir.node.upstream;

import io.vertx.core.Vertx;

/** Gives requests their turns at the destinations that have a name. Safe for use by many threads. */
@FunctionalInterface
public interface UpstreamSlots {
  /**
   * The slots of a node that knows no names: a destination has one only if an extension has read it from the policy.
   */
  UpstreamSlots NONE = loop -> request -> {
    throw new IllegalStateException("no extension has " + request.target().to().name());
  };

  /** The turns on one event loop. Called on that loop. */
  SendSlots on(Vertx loop);
}
