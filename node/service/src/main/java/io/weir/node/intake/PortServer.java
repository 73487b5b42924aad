package io.weir.node.intake;

import io.vertx.core.Future;
import io.weir.node.config.NodeConfig.Address;

/** Serves a protocol at a port of its own, on one event loop, which owns it. */
public interface PortServer {
  /** Opens the port. */
  Future<?> listen(Address address);

  /** Closes the port, and after this time its connections. */
  Future<Void> shutdown(long millis);
}
