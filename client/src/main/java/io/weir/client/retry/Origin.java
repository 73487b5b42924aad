package io.weir.client.retry;

import java.net.URI;
import java.util.Locale;
import java.util.Map;

/**
 * The scheme, host and port of an HTTP address (RFC 6454), in one spelling: lower case, and with the scheme's own port
 * where the address names none. Two addresses of one server have equal origins.
 */
public record Origin(String scheme, String host, int port) {
  private static final Map<String, Integer> USUAL_PORTS = Map.of("http", 80, "https", 443);

  /**
   * Of an address.
   *
   * @throws IllegalArgumentException where it is not an absolute one of HTTP
   */
  public static Origin of(URI address) {
    String scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
    if (address.getHost() == null || !USUAL_PORTS.containsKey(scheme)) {
      throw new IllegalArgumentException(
          "%s (expected: an address that begins with http:// or https:// and a host)"
              .formatted(address));
    }
    return of(scheme, address.getHost(), address.getPort());
  }

  /** Of its parts; a port below 0 is the scheme's own. */
  public static Origin of(String scheme, String host, int port) {
    return new Origin(
        scheme,
        host.toLowerCase(Locale.ROOT),
        port < 0 ? USUAL_PORTS.getOrDefault(scheme, port) : port);
  }

  /** As an address without a path; the scheme's own port is left out. */
  @Override
  public String toString() {
    boolean isUsual = USUAL_PORTS.getOrDefault(scheme, -1) == port;
    return scheme + "://" + host + (isUsual ? "" : ":" + port);
  }
}
