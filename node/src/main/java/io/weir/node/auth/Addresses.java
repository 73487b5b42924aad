package io.weir.node.auth;

import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;

/** The addresses of callers. */
public final class Addresses {
  private Addresses() {}

  /** The address at the other end of the connection. */
  public static Optional<String> peer(HttpServerRequest request) {
    return Optional.ofNullable(request.remoteAddress())
        .flatMap(remote -> Optional.ofNullable(remote.hostAddress()));
  }
}
