package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The requests that scripts of web pages may send, and the parts of answers that they can read. */
final class CorsIT {
  private static final String HEAD =
      "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n";
  private static final String KEY = "X-Api-Key: " + TestPolicies.key("k1") + "\r\n";
  private static final String ALLOWED = "Origin: https://app.example.com\r\n";
  private static final String OTHER = "Origin: https://evil.example.com\r\n";

  @AutoClose
  private static NodeFixture node;

  @BeforeAll
  static void start() {
    node = new NodeFixture(TestPolicies.slow(), FailureMode.DENY);
    node.upstreamAnswers(
        "/free/open",
        request -> request
            .response()
            .putHeader("Access-Control-Allow-Origin", "*")
            .putHeader("Access-Control-Expose-Headers", "X-Own")
            .end("open"));
  }

  @Test
  void aPageOfAnAllowedOriginCanReadHowLongItHasToWait() {
    String denied = "";
    for (int i = 0; i < 8; i++) {
      denied = ask("GET /ping", KEY + ALLOWED);
    }
    assertThat(denied)
        .startsWith("HTTP/1.1 429 ")
        .containsIgnoringCase("access-control-allow-origin: https://app.example.com\r\n")
        .containsIgnoringCase("vary: origin\r\n")
        .containsIgnoringCase(
            "access-control-expose-headers: RateLimit, RateLimit-Policy, Retry-After, Retry-After-Ms\r\n");
  }

  @Test
  void everyAnswerOfTheNodeIsReadable() {
    assertThat(ask("GET /ping", ALLOWED))
        .startsWith("HTTP/1.1 401 ")
        .containsIgnoringCase("access-control-allow-origin: https://app.example.com\r\n");
    assertThat(ask("POST /v1/check?colour=red", ALLOWED))
        .startsWith("HTTP/1.1 400 ")
        .containsIgnoringCase("access-control-allow-origin: https://app.example.com\r\n");
  }

  @Test
  void aPreflightOfAnAllowedOriginIsAnsweredWithoutAKey() {
    String preflight =
        "Access-Control-Request-Method: PUT\r\nAccess-Control-Request-Headers: x-api-key\r\n";
    assertThat(ask("OPTIONS /echo/x", ALLOWED + preflight))
        .startsWith("HTTP/1.1 204 ")
        .containsIgnoringCase("access-control-allow-origin: https://app.example.com\r\n")
        .containsIgnoringCase("access-control-allow-methods: PUT\r\n")
        .containsIgnoringCase("access-control-allow-headers: x-api-key\r\n")
        .containsIgnoringCase("access-control-max-age: 600\r\n");
    assertThat(ask("OPTIONS /echo/x", OTHER + preflight))
        .startsWith("HTTP/1.1 401 ")
        .doesNotContainIgnoringCase("access-control");
  }

  @Test
  void aPageOfAnotherOriginCanReadNothing() {
    assertThat(ask("GET /echo/x", KEY + OTHER))
        .startsWith("HTTP/1.1 200 ")
        .doesNotContainIgnoringCase("access-control");
    assertThat(ask("GET /echo/x", KEY)).doesNotContainIgnoringCase("access-control");
  }

  @Test
  void whereTheUpstreamAllowsAnOriginTheHeadersOfTheNodeAreExposedBesideItsOwn() {
    assertThat(ask("GET /free/open", KEY + OTHER))
        .startsWith("HTTP/1.1 200 ")
        .containsIgnoringCase("access-control-allow-origin: *\r\n")
        .doesNotContainIgnoringCase("evil")
        .containsIgnoringCase("access-control-expose-headers: X-Own\r\n");
    assertThat(ask("GET /free/open", KEY + ALLOWED))
        .containsIgnoringCase("access-control-allow-origin: *\r\n");
  }

  private static String ask(String line, String headers) {
    return node.raw(HEAD.formatted(line) + headers + "\r\n");
  }
}
