package io.weir.node.extension;

import io.weir.node.admission.Witness;

/** The view of operators on the decisions of a node. A node has at most one. */
public interface Insight extends Extension {
  @Override
  Open open(NodeBase node);

  /** The insight into a running node. Safe for use by many threads. */
  interface Open extends OpenExtension {
    /** Sees the decisions. */
    Witness witness();
  }
}
