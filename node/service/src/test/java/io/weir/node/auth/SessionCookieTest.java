package io.weir.node.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.MultiMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The cookie of a session stays at the node. */
final class SessionCookieTest {
  @ParameterizedTest
  @CsvSource({
    "weir-session=abc, ''",
    "a=1; weir-session=abc, a=1",
    "weir-session=abc; b=2, b=2",
    "a=1;weir-session=abc;b=2, a=1; b=2",
    "a=1; weir-session=abc; weir-session=def, a=1"
  })
  void upstreamsSeeTheOtherCookiesAlone(String shown, String left) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().add("Cookie", shown);

    SessionCookie.removeFrom(headers);

    assertThat(headers.contains("Cookie")).isEqualTo(!left.isEmpty());
    assertThat(String.valueOf(headers.get("Cookie"))).isEqualTo(left.isEmpty() ? "null" : left);
  }

  @Test
  void cookiesOfOthersAreUntouched() {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().add("Cookie", "a=1;b=2;  my-weir=3");

    SessionCookie.removeFrom(headers);

    assertThat(headers.get("Cookie")).isEqualTo("a=1;b=2;  my-weir=3");
  }
}
