package io.weir.node.resp;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.weir.core.throttle.PolicySource;
import io.weir.node.admission.Decider;
import io.weir.node.auth.Identities;
import io.weir.node.auth.TokenGuard;
import io.weir.node.config.NodeConfig.Address;
import java.util.concurrent.TimeUnit;

/**
 * Serves the port for clients of Redis on one event loop. Strangers, who have not shown the service token, have few
 * connections and little time. Mutable; owned by its event loop.
 */
public final class RespServer {
  /** For each event loop. */
  private static final int MOST_CONNECTIONS = 5000;

  private static final int MOST_STRANGERS = 200;
  private static final long STRANGERS_MILLIS = TimeUnit.SECONDS.toMillis(10);

  private final Vertx vertx;
  private final NetServer server;
  private final TokenGuard services;
  private final CheckCommand checks;
  private int connections;
  private int strangers;

  /**
   * @param options of its port, with TLS if it has any
   * @param services admit the service token
   */
  public RespServer(
      Vertx vertx,
      NetServerOptions options,
      TokenGuard services,
      PolicySource policies,
      Identities identities,
      Decider decider) {
    this.vertx = vertx;
    this.services = services;
    this.checks = new CheckCommand(vertx.getOrCreateContext(), policies, identities, decider);
    this.server = vertx.createNetServer(options).connectHandler(this::welcome);
  }

  /** Opens the port. */
  public Future<NetServer> listen(Address address) {
    return server.listen(address.port(), address.host());
  }

  /** Closes the port, and after this time its connections. */
  public Future<Void> shutdown(long millis) {
    return server.shutdown(millis, TimeUnit.MILLISECONDS);
  }

  private void welcome(NetSocket socket) {
    if (connections >= MOST_CONNECTIONS || strangers >= MOST_STRANGERS) {
      socket
          .write(RespAnswer.error("ERR max number of clients reached"))
          .onComplete(over -> socket.close());
      return;
    }
    Stranger stranger = new Stranger();
    stranger.timer = vertx.setTimer(STRANGERS_MILLIS, late -> socket.close());
    connections++;
    strangers++;
    socket.closeHandler(closed -> {
      connections--;
      stranger.isKnown();
    });
    RespConnection unused = new RespConnection(socket, services, checks, stranger::isKnown);
  }

  /** A connection without the token. */
  private final class Stranger {
    private long timer;
    private boolean isGone;

    void isKnown() {
      if (!isGone) {
        isGone = true;
        strangers--;
        vertx.cancelTimer(timer);
      }
    }
  }
}
