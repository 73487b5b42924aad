package io.weir.node.extension;

import io.vertx.core.Future;
import io.weir.node.admin.Stranding;
import io.weir.node.admission.Witness;
import io.weir.node.auth.Directory;
import io.weir.node.auth.Identifier;
import io.weir.node.upstream.UpstreamSlots;
import java.util.Optional;

/** An extension of a running node. Safe for use by many threads. */
public interface OpenExtension {
  /** Its parts on one event loop. Called on that loop, before it serves. */
  LoopExtension onLoop(LoopParts loop);

  /** Gives turns at the destinations that have a name; at most one extension does. */
  default Optional<UpstreamSlots> slots() {
    return Optional.empty();
  }

  /** The subjects and operators that are defined outside of the policy; at most one extension knows any. */
  default Optional<Directory> directory() {
    return Optional.empty();
  }

  /** Counts those subjects that a policy would leave without limits; at most one extension does. */
  default Optional<Stranding> stranding() {
    return Optional.empty();
  }

  /** Finds out who asks, instead of by API keys alone; at most one extension does. */
  default Optional<Identifier> identifier() {
    return Optional.empty();
  }

  /** Sees the decisions; at most one extension does. */
  default Optional<Witness> witness() {
    return Optional.empty();
  }

  /** Starts workers and watchers, once the doors are open. They end with the Vert.x instance. */
  default Future<?> start(NodeParts node) {
    return Future.succeededFuture();
  }
}
