package io.weir.node;

import io.vertx.core.Vertx;
import java.util.Set;

/** Parts of a node that tests see and callers do not. */
public final class NodeView {
  private NodeView() {}

  public static Vertx vertx(Node node) {
    return node.vertx();
  }

  /** The routes of the node's doors, without the gateway, as {@code get /path}. */
  public static Set<String> routes(Node node) {
    return node.routes();
  }
}
