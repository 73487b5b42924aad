package io.weir.node.envoy;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.Http1xServerConnection;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Asks clients to begin their next calls on another connection, as the node stops: with a GOAWAY that names no call, so
 * that those which it crosses are answered, too (RFC 9113, section 6.8). Mutable; owned by one event loop.
 */
final class Farewell {
  private static final long NO_ERROR = 0;

  private final Set<HttpConnection> sent = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Asks the clients of these connections, once on each. */
  void sendTo(Collection<HttpConnection> connections) {
    for (HttpConnection connection : connections) {
      if (!(connection instanceof Http1xServerConnection) && sent.add(connection)) {
        connection.goAway(NO_ERROR, Integer.MAX_VALUE);
      }
    }
  }

  /** Forgets a connection that is closed. */
  void closed(HttpConnection connection) {
    sent.remove(connection);
  }
}
