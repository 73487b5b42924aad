package io.weir.core.policy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The network of an address that counts as one caller: of IPv6 a household or a host has at least a /64 (RFC 6177). */
public final class CallerNetwork {
  private static final int IPV4_BYTES = 4;
  private static final int IPV4_BITS = 32;
  private static final int IPV6_BITS = 64;
  private static final int GROUPS = 8;
  /** Before an address of IPv4, as translators write it (RFC 6052): 64:ff9b::/96. */
  private static final byte[] TRANSLATED = {
    0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0
  };

  private CallerNetwork() {}

  /** The address itself if it is of IPv4, and the /64 of one of IPv6; a text that is none as it is. */
  public static String of(String address) {
    if (address.indexOf(':') < 0) {
      return address;
    }
    try {
      // In brackets it is never looked up.
      byte[] bytes = InetAddress.getByName("[" + address + "]").getAddress();
      return of(bytes, IPV4_BITS, IPV6_BITS);
    } catch (UnknownHostException e) {
      return address;
    }
  }

  /** The network of this length with an address, in the form of RFC 5952: {@code 2001:db8::/64}, or the address itself. */
  public static String of(byte[] address, int ipv4Bits, int ipv6Bits) {
    byte[] own = isTranslated(address)
        ? Arrays.copyOfRange(address, TRANSLATED.length, address.length)
        : address;
    int bits = own.length == IPV4_BYTES ? ipv4Bits : ipv6Bits;
    byte[] network = masked(own, bits);
    String text = network.length == IPV4_BYTES ? ipv4(network) : ipv6(network);
    return bits == own.length * 8 ? text : text + "/" + bits;
  }

  private static boolean isTranslated(byte[] address) {
    return address.length > IPV4_BYTES
        && Arrays.equals(TRANSLATED, Arrays.copyOf(address, TRANSLATED.length));
  }

  private static byte[] masked(byte[] address, int bits) {
    byte[] masked = new byte[address.length];
    for (int i = 0; i < address.length; i++) {
      int kept = Math.max(0, Math.min(8, bits - 8 * i));
      masked[i] = (byte) (address[i] & (0xff << (8 - kept)));
    }
    return masked;
  }

  private static String ipv4(byte[] address) {
    return "%d.%d.%d.%d"
        .formatted(address[0] & 0xff, address[1] & 0xff, address[2] & 0xff, address[3] & 0xff);
  }

  private static String ipv6(byte[] address) {
    int[] groups = new int[GROUPS];
    for (int i = 0; i < GROUPS; i++) {
      groups[i] = ((address[2 * i] & 0xff) << 8) | (address[2 * i + 1] & 0xff);
    }
    int zeros = longestZeros(groups);
    int end = zeros + zerosFrom(groups, zeros);
    return end - zeros > 1
        ? joined(groups, 0, zeros) + "::" + joined(groups, end, GROUPS)
        : joined(groups, 0, GROUPS);
  }

  private static String joined(int[] groups, int from, int to) {
    return Arrays.stream(groups, from, to)
        .mapToObj(Integer::toHexString)
        .collect(Collectors.joining(":"));
  }

  // The first of the longest runs of groups that are zero.
  private static int longestZeros(int[] groups) {
    int longest = 0;
    for (int i = 1; i < GROUPS; i++) {
      if (zerosFrom(groups, i) > zerosFrom(groups, longest)) {
        longest = i;
      }
    }
    return longest;
  }

  private static int zerosFrom(int[] groups, int from) {
    int end = from;
    while (end < GROUPS && groups[end] == 0) {
      end++;
    }
    return end - from;
  }
}
