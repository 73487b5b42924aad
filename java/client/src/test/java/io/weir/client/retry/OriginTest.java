package io.weir.client.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An origin has one spelling. */
final class OriginTest {
  @ParameterizedTest
  @CsvSource({
    "http://h,                  http://h",
    "http://h/,                 http://h",
    "http://h:80/a?b=c#d,       http://h",
    "HTTP://H:80,               http://h",
    "http://user:secret@h/,     http://h",
    "http://h:443,              http://h:443",
    "https://h:443,             https://h",
    "https://h:80,              https://h:80",
    "http://127.0.0.1:8080/x,   http://127.0.0.1:8080",
    "http://[::1]:80/x,         http://[::1]",
  })
  void itIsWrittenOneWayHoweverTheAddressIs(String address, String origin) {
    assertThat(Origin.of(URI.create(address))).hasToString(origin);
    assertThat(Origin.of(URI.create(address))).isEqualTo(Origin.of(URI.create(origin)));
  }

  @Test
  void anotherSchemeHostOrPortIsAnotherOrigin() {
    Origin origin = Origin.of(URI.create("http://h"));
    for (String other : new String[] {"https://h", "http://g", "http://h:81", "http://h.g"}) {
      assertThat(Origin.of(URI.create(other))).isNotEqualTo(origin);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/path", "ftp://h/x", "file:///etc/passwd", "mailto:a@b", "http:///x"})
  void anAddressThatIsNotOfHttpHasNone(String address) {
    assertThatThrownBy(() -> Origin.of(URI.create(address)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(address);
  }
}
