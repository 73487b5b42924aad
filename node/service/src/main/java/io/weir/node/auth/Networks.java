package io.weir.node.auth;

import io.netty.util.NetUtil;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Networks of IPv4 and IPv6, such as {@code 10.0.0.0/8}. Immutable. */
public final class Networks {
  /** None. */
  public static final Networks NONE = new Networks(List.of());

  /** The form of a network; the address itself is checked when it is read. */
  public static final Pattern FORM = Pattern.compile("[0-9A-Fa-f.:]{2,45}(/\\d{1,3})?");

  /** The same in words. */
  public static final String EXPECTED = "a network such as 10.0.0.0/8, or an address";

  private static final int BITS = 8;
  private static final int BYTE = 0xff;

  private final List<Network> all;

  private Networks(List<Network> all) {
    this.all = List.copyOf(all);
  }

  /**
   * Networks of texts.
   *
   * @throws IllegalArgumentException if one is no network
   */
  public static Networks of(List<String> texts) {
    return new Networks(texts.stream()
        .map(text -> parse(text)
            .orElseThrow(() ->
                new IllegalArgumentException("'%s' (expected: %s)".formatted(text, EXPECTED))))
        .toList());
  }

  /** Whether the text is a network. */
  public static boolean isNetwork(String text) {
    return parse(text).isPresent();
  }

  private static Optional<Network> parse(String text) {
    int slash = text.indexOf('/');
    byte[] address = bytes(slash < 0 ? text : text.substring(0, slash));
    if (address.length == 0) {
      return Optional.empty();
    }
    int bits = slash < 0 ? address.length * BITS : Integer.parseInt(text.substring(slash + 1));
    return bits > address.length * BITS
        ? Optional.empty()
        : Optional.of(new Network(hex(masked(address, bits)), bits));
  }

  /** The bytes of an address: 4, or 16; an address of IPv4 within IPv6 has 4; none for another text. */
  static byte[] bytes(String text) {
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(text);
    if (bytes == null) {
      return new byte[0];
    }
    boolean isMapped = bytes.length == 16
        && Arrays.equals(Arrays.copyOf(bytes, 10), new byte[10])
        && bytes[10] == -1
        && bytes[11] == -1;
    return isMapped ? Arrays.copyOfRange(bytes, 12, 16) : bytes;
  }

  static byte[] masked(byte[] address, int bits) {
    byte[] network = address.clone();
    for (int i = 0; i < network.length; i++) {
      int left = Math.max(0, Math.min(BITS, bits - i * BITS));
      network[i] = (byte) (network[i] & (BYTE << (BITS - left)));
    }
    return network;
  }

  /** Whether an address is in one of them. */
  public boolean contains(String address) {
    byte[] bytes = bytes(address);
    return bytes.length > 0 && all.stream().anyMatch(network -> network.contains(bytes));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Networks networks && networks.all.equals(all);
  }

  @Override
  public int hashCode() {
    return all.hashCode();
  }

  /**
   * One network.
   *
   * @param begin its first address, in hexadecimal digits
   */
  private record Network(String begin, int bits) {
    boolean contains(byte[] address) {
      return address.length * 2 == begin.length() && hex(masked(address, bits)).equals(begin);
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
