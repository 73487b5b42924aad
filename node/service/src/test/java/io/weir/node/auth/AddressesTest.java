package io.weir.node.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The address that a caller counts for: that of the last one whom a listed proxy has seen. */
final class AddressesTest {
  private static final Networks PROXIES = Networks.of(List.of("10.0.0.0/8", "2001:db8:1::/48"));

  @ParameterizedTest(name = "[{index}] {0} | {1}")
  @CsvSource(delimiter = '|', textBlock = """
          # the peer  | what the header has                       | the caller
          10.0.0.1    | 198.51.100.7                              | 198.51.100.7
          10.0.0.1    | 203.0.113.9, 198.51.100.7                 | 198.51.100.7
          10.0.0.1    | 10.9.9.9, 198.51.100.7                    | 198.51.100.7
          10.0.0.1    | 198.51.100.7, 10.0.0.2                    | 198.51.100.7
          10.0.0.1    | 203.0.113.9, 198.51.100.7, 10.0.0.2       | 198.51.100.7
          10.0.0.1    | 127.0.0.1, 198.51.100.7                   | 198.51.100.7
          10.0.0.1    | ::1, 198.51.100.7                         | 198.51.100.7
          10.0.0.1    | unknown, 198.51.100.7                     | 198.51.100.7
          10.0.0.1    | '198.51.100.7,'                           | 10.0.0.1
          10.0.0.1    | '203.0.113.9, ,10.0.0.2'                  | 10.0.0.2
          10.0.0.1    | unknown                                   | 10.0.0.1
          10.0.0.1    | '203.0.113.9; drop'                       | 10.0.0.1
          10.0.0.1    | 203.0.113.9 198.51.100.7                  | 10.0.0.1
          10.0.0.1    | 198.51.100.7:4711                         | 198.51.100.7
          10.0.0.1    | '[2001:db8:2::7]:4711'                    | 2001:db8:2::7
          10.0.0.1    | 2001:db8:2::7                             | 2001:db8:2::7
          10.0.0.1    | ::ffff:198.51.100.7                       | 198.51.100.7
          10.0.0.1    | 203.0.113.9, ::ffff:10.0.0.2              | 203.0.113.9
          10.0.0.1    | fe80::1%eth0                              | 10.0.0.1
          10.0.0.1    | 0x7f.1                                    | 10.0.0.1
          10.0.0.1    | 1.2.3                                     | 10.0.0.1
          10.0.0.1    | 999.1.1.1                                 | 10.0.0.1
          10.0.0.1    | localhost                                 | 10.0.0.1
          10.0.0.1    | ''                                        | 10.0.0.1
          2001:db8:1::5 | 203.0.113.9, 2001:db8:1::6              | 203.0.113.9
          """)
  void theListIsReadFromTheRight(String peer, String list, String caller) {
    assertThat(Addresses.caller(peer, List.of(list == null ? "" : list), PROXIES, false))
        .isEqualTo(caller);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
          for=198.51.100.7                                   | 198.51.100.7
          for=203.0.113.9, for=198.51.100.7;proto=https      | 198.51.100.7
          for="[2001:db8:2::7]:4711"                         | 2001:db8:2::7
          proto=https;FOR=198.51.100.7                       | 198.51.100.7
          for=198.51.100.7, for=10.0.0.2                     | 198.51.100.7
          for=_hidden                                        | 10.0.0.1
          for=unknown                                        | 10.0.0.1
          by=198.51.100.7                                    | 10.0.0.1
          """)
  void forwardedIsReadAlike(String list, String caller) {
    assertThat(Addresses.caller("10.0.0.1", List.of(list), PROXIES, true)).isEqualTo(caller);
  }

  @Test
  void severalHeadersAreOneList() {
    List<String> lines = List.of("203.0.113.9", "198.51.100.7, 10.0.0.2");
    assertThat(Addresses.caller("10.0.0.1", lines, PROXIES, false)).isEqualTo("198.51.100.7");
  }

  @Test
  void aNetworkOfIpv6IsOneStranger() {
    assertThat(Addresses.network("2001:db8:2:3:4:5:6:7")).isEqualTo("2001:db8:2:3::/64");
    assertThat(Addresses.network("198.51.100.7")).isEqualTo("198.51.100.7");
    assertThat(Addresses.network("198.51.100.7", 24, 48)).isEqualTo("198.51.100.0/24");
  }

  @Test
  void aNetworkHasAnAddressAndALength() {
    assertThat(Networks.isNetwork("10.0.0.0/8")).isTrue();
    assertThat(Networks.isNetwork("10.0.0.0/33")).isFalse();
    assertThat(Networks.isNetwork("10.0.0/8")).isFalse();
    assertThat(Networks.isNetwork("2001:db8::/129")).isFalse();
    assertThat(PROXIES.contains("11.0.0.1")).isFalse();
    assertThat(PROXIES.contains("::ffff:10.1.2.3")).isTrue();
  }
}
