package io.weir.node.extension;

import io.weir.node.config.NodeConfig;
import io.weir.node.trace.Tracing;

/** Records how requests go. A node has at most one. */
@FunctionalInterface
public interface Traces {
  /** Records nothing. */
  Traces NONE = config -> Tracing.NONE;

  /** The records that the configuration wants; {@link Tracing#NONE} if it wants none. */
  Tracing tracing(NodeConfig config);
}
