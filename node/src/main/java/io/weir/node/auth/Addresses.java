package io.weir.node.auth;

import io.netty.util.NetUtil;
import io.vertx.core.http.HttpServerRequest;
import java.util.HexFormat;
import java.util.Optional;

/** The addresses of callers. */
public final class Addresses {
  private static final int NETWORK_BYTES = 8;

  private Addresses() {}

  /** The address at the other end of the connection. */
  public static Optional<String> peer(HttpServerRequest request) {
    return Optional.ofNullable(request.remoteAddress())
        .flatMap(remote -> Optional.ofNullable(remote.hostAddress()));
  }

  /** The network that counts as one caller: an address of IPv4, and the /64 of an address of IPv6. */
  public static String network(String address) {
    if (address.indexOf(':') < 0) {
      return address;
    }
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
    return bytes == null || bytes.length < NETWORK_BYTES
        ? address
        : HexFormat.of().formatHex(bytes, 0, NETWORK_BYTES) + "/64";
  }
}
