package io.weir.node.envoy;

import io.weir.node.envoy.BodyBudget.NetworkBudget;
import io.weir.node.intake.Strangers.Stranger;

/** One connection, with its calls and the memory for its messages. */
record EnvoyConnection(
    String network,
    Stranger stranger,
    ConnectionCalls calls,
    NetworkBudget bodies,
    NetworkBudget reports) {

  /** The connection is closed. */
  void closed() {
    stranger.closed();
    bodies.close();
    reports.close();
  }
}
