package io.weir.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CallerNetworkTest {
  @ParameterizedTest
  @CsvSource({
    "203.0.113.9, 203.0.113.9",
    "2001:db8::1, 2001:db8::/64",
    "2001:DB8:0:1:ffff:ffff:ffff:ffff, 2001:db8:0:1::/64",
    "1:0:0:2::3, 1:0:0:2::/64",
    "::1, ::/64",
    "::ffff:203.0.113.9, 203.0.113.9",
    // NAT64: the callers of a whole provider have one /64.
    "64:ff9b::203.0.113.9, 203.0.113.9",
    "64:ff9b:1::203.0.113.9, 64:ff9b:1::/64",
    "unknown, unknown",
    "not:an:address, not:an:address"
  })
  void addressesThatOneCallerHasAreOneNetwork(String address, String network) {
    assertThat(CallerNetwork.of(address)).isEqualTo(network);
  }

  @ParameterizedTest
  @CsvSource({"32, 128, 203.0.113.9", "24, 128, 203.0.113.0/24", "0, 128, 0.0.0.0/0"})
  void anAddressOfIpv4HasALengthOfItsOwn(int ipv4, int ipv6, String network) {
    byte[] address = {(byte) 203, 0, 113, 9};
    assertThat(CallerNetwork.of(address, ipv4, ipv6)).isEqualTo(network);
  }

  @ParameterizedTest
  @CsvSource({
    "128, 2001:db8::1:0:0:9",
    "112, 2001:db8:0:0:1::/112",
    "48, 2001:db8::/48",
    "12, 2000::/12"
  })
  void theFirstOfTheLongestZerosIsShort(int bits, String network) {
    byte[] address = {0x20, 1, 0x0d, (byte) 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 9};
    assertThat(CallerNetwork.of(address, 32, bits)).isEqualTo(network);
  }
}
