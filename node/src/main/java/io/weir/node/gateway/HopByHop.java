package io.weir.node.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.List;

/** The headers that belong to one connection and are not passed on (RFC 9110, section 7.6.1). */
final class HopByHop {
  private static final List<String> NAMES = List.of(
      "Connection",
      "Keep-Alive",
      "Proxy-Authenticate",
      "Proxy-Authorization",
      "Proxy-Connection",
      "TE",
      "Trailer",
      "Upgrade");

  private HopByHop() {}

  /** Removes them, and those that {@code Connection} lists; how the body is framed stays. */
  static void remove(MultiMap headers) {
    for (String listed : headers.getAll(HttpHeaders.CONNECTION)) {
      for (String name : listed.split(",", -1)) {
        String token = name.strip();
        if (!token.isEmpty() && !token.equalsIgnoreCase("Content-Length")) {
          headers.remove(token);
        }
      }
    }
    NAMES.forEach(headers::remove);
  }
}
