package io.weir.node.auth;

import io.netty.util.NetUtil;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.CallerNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The addresses of callers. */
public final class Addresses {
  private static final int MOST_HOPS = 50;
  private static final Pattern FOR =
      Pattern.compile("(?:^|;)\\s*for=\"?([^\";]*)\"?", Pattern.CASE_INSENSITIVE);

  private Addresses() {}

  /** The address at the other end of the connection. */
  public static Optional<String> peer(HttpServerRequest request) {
    return Optional.ofNullable(request.remoteAddress())
        .flatMap(remote -> Optional.ofNullable(remote.hostAddress()));
  }

  /**
   * The address of the caller, as proxies in front say it. Each proxy adds the address that it has seen at the end, so the
   * list is read from the right as long as the address before is that of a listed proxy; whatever is left of the first
   * other address was written by the caller. A text that is no address ends the list, too: it counts for its sender.
   *
   * @param header {@code X-Forwarded-For} or {@code Forwarded} (RFC 7239)
   */
  public static Optional<String> caller(
      HttpServerRequest request, Networks proxies, String header) {
    return peer(request)
        .map(peer -> proxies.contains(peer)
            ? caller(peer, request.headers().getAll(header), proxies, header.equals("Forwarded"))
            : peer);
  }

  static String caller(String peer, List<String> lines, Networks proxies, boolean isForwarded) {
    List<String> hops = hops(lines);
    String address = peer;
    for (int i = hops.size() - 1; i >= Math.max(0, hops.size() - MOST_HOPS); i--) {
      Optional<String> hop = isForwarded ? forwarded(hops.get(i)) : Optional.of(hops.get(i));
      Optional<String> before = hop.flatMap(Addresses::address);
      if (before.isEmpty() || !proxies.contains(address)) {
        return address;
      }
      address = before.get();
    }
    return address;
  }

  private static List<String> hops(List<String> lines) {
    List<String> hops = new ArrayList<>();
    for (String line : lines) {
      for (String hop : line.split(",", -1)) {
        hops.add(hop.strip());
      }
    }
    return hops;
  }

  private static Optional<String> forwarded(String element) {
    Matcher found = FOR.matcher(element);
    return found.find() ? Optional.of(found.group(1).strip()) : Optional.empty();
  }

  /** An address in its usual form, from one that may have brackets and a port. */
  static Optional<String> address(String text) {
    String bare = text;
    int bracket = text.indexOf(']');
    if (text.startsWith("[") && bracket > 0) {
      bare = text.substring(1, bracket);
    } else if (text.indexOf(':') >= 0 && text.indexOf(':') == text.lastIndexOf(':')) {
      bare = text.substring(0, text.indexOf(':'));
    }
    byte[] bytes = bare.indexOf('%') >= 0 ? new byte[0] : Networks.bytes(bare);
    return bytes.length == 0 ? Optional.empty() : Optional.of(NetUtil.bytesToIpAddress(bytes));
  }

  /** The network that counts as one stranger: an address of IPv4, and the /64 of an address of IPv6. */
  public static String network(String address) {
    return CallerNetwork.of(address);
  }

  /** The network of this length with an address: the address itself, or {@code 2001:db8::/64}. */
  public static String network(String address, int ipv4Bits, int ipv6Bits) {
    byte[] bytes = Networks.bytes(address);
    return bytes.length == 0 ? address : CallerNetwork.of(bytes, ipv4Bits, ipv6Bits);
  }
}
