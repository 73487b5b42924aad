package io.weir.node.extension;

import io.weir.node.upstream.UpstreamSlots;

/** Upstreams that have a name, at whose servers requests wait for their turns. A node has at most one. */
public interface NamedUpstreams extends Extension {
  @Override
  Open open(NodeBase node);

  /** The named upstreams of a running node. Safe for use by many threads. */
  interface Open extends OpenExtension {
    /** Gives turns at the destinations that have a name. */
    UpstreamSlots slots();
  }
}
