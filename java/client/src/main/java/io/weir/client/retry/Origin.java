package io.weir.client.retry;

import java.net.URI;
import java.util.Locale;
import java.util.Map;

/**
 * The scheme, host and port of an HTTP address (RFC 6454), normalized: in lower case, and with the scheme's default
 * port if the address has none. Two addresses of one server have equal origins.
 */
public record Origin(String scheme, String host, int port) {
  private static final Map<String, Integer> USUAL_PORTS = Map.of("http", 80, "https", 443);

  /**
   * The origin of an address.
   *
   * @throws IllegalArgumentException if it is not an absolute HTTP address
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

  /** The origin of these parts; a port below 0 means the scheme's default port. */
  public static Origin of(String scheme, String host, int port) {
    return new Origin(
        scheme,
        host.toLowerCase(Locale.ROOT),
        port < 0 ? USUAL_PORTS.getOrDefault(scheme, port) : port);
  }

  /** An address without a path; the scheme's default port is omitted. */
  @Override
  public String toString() {
    boolean isUsual = USUAL_PORTS.getOrDefault(scheme, -1) == port;
    return scheme + "://" + host + (isUsual ? "" : ":" + port);
  }
}
