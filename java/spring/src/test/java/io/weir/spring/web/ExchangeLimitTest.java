package io.weir.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.core.answer.ProblemText;
import io.weir.core.policy.SecretHash;
import io.weir.library.Weir;
import io.weir.spring.WeirProperties;
import io.weir.spring.WeirProperties.Operation;
import io.weir.spring.WeirProperties.Web;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** The filter of WebFlux, without a server. */
final class ExchangeLimitTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String POLICY = """
      buckets:
        - { name: asks, burstPeriod: 2, throttleGroups: [{ opsPerSec: 1, operations: [Ask] }] }
      permits: [{ name: runs, limit: 1, operations: [Run] }]
      operations: [{ name: Run }]
      subjects:
        - { id: mine, tenant: acme, secretHash: "%s" }
        - { match: "*", tenant: acme }
      """.formatted(SecretHash.of("secret").formatted());

  @AutoClose
  private final Weir weir = Weir.inMemory(POLICY);

  private final WeirWebFilter filter =
      filter(new WeirProperties.Key(WeirProperties.From.ADDRESS, ""));

  private WeirWebFilter filter(WeirProperties.Key key) {
    Web web = new Web(
        true,
        0,
        key,
        List.of(
            new Operation("/ask/{id}", Set.of("get"), "Ask"),
            new Operation("/run", Set.of(), "Run")));
    return new WeirWebFilter(new RequestRules(weir, web), 0);
  }

  private MockServerWebExchange exchange(HttpMethod method, String path) {
    return MockServerWebExchange.from(MockServerHttpRequest.method(method, URI.create(path))
        .remoteAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)));
  }

  private HttpStatus status(HttpMethod method, String path) {
    return status(filter, exchange(method, path));
  }

  private static HttpStatus status(WeirWebFilter filter, MockServerWebExchange exchange) {
    WebFilterChain chain = passed -> {
      passed.getResponse().setStatusCode(HttpStatus.OK);
      return passed.getResponse().setComplete();
    };
    filter.filter(exchange, chain).block(LONG);
    return HttpStatus.valueOf(exchange.getResponse().getStatusCode().value());
  }

  @Test
  void headIsLimitedAsGetAndPreflightsPass() {
    assertThat(status(HttpMethod.GET, "/ask/1")).isEqualTo(HttpStatus.OK);
    assertThat(status(HttpMethod.HEAD, "/ask/1")).isEqualTo(HttpStatus.OK);
    assertThat(status(HttpMethod.GET, "/ask/1")).isEqualTo(HttpStatus.TOO_MANY_REQUESTS);
    assertThat(status(HttpMethod.POST, "/ask/1")).isEqualTo(HttpStatus.OK);
    MockServerWebExchange preflight =
        MockServerWebExchange.from(MockServerHttpRequest.options("/run")
            .header("Origin", "http://a")
            .header("Access-Control-Request-Method", "GET"));
    filter.filter(preflight, passed -> Mono.empty()).block(LONG);
    assertThat(preflight.getResponse().getStatusCode()).isNull();
  }

  @Test
  void ambiguousPathsAreRefusedWhereTheyMayBeLimited() {
    assertThat(status(HttpMethod.GET, "/free/a%2525b")).isEqualTo(HttpStatus.OK);
    assertThat(status(HttpMethod.GET, "/ask/a%252Fb")).isEqualTo(HttpStatus.BAD_REQUEST);
    assertThat(status(HttpMethod.GET, "/ask//1")).isEqualTo(HttpStatus.BAD_REQUEST);
    assertThat(status(HttpMethod.GET, "/free/../ask/1")).isEqualTo(HttpStatus.BAD_REQUEST);
    assertThat(status(HttpMethod.GET, "/free/%2e%2E/ask/1")).isEqualTo(HttpStatus.BAD_REQUEST);
    assertThat(status(HttpMethod.GET, "/./ask/1")).isEqualTo(HttpStatus.BAD_REQUEST);
    assertThat(status(HttpMethod.GET, "/free/a..b/.c")).isEqualTo(HttpStatus.OK);
  }

  @ParameterizedTest
  @CsvSource({
    "HEADER, X-Our-Key, No API key: send X-Our-Key",
    "PRINCIPAL, '', no authenticated user",
    "CLAIM, team, the claim team"
  })
  void aRefusalOfARequestWithoutAKeySaysWhereItIsSought(
      WeirProperties.From from, String name, String words) {
    Web web = new Web(true, 0, new WeirProperties.Key(from, name), List.of());
    assertThat(ProblemText.json(new RequestRules(weir, web).unknown(Optional.empty())))
        .contains("key_missing", words);
  }

  @Test
  void aNameThatNoSubjectCanHaveIsRefusedAsSuch() {
    Web web =
        new Web(true, 0, new WeirProperties.Key(WeirProperties.From.PRINCIPAL, ""), List.of());
    RequestRules rules = new RequestRules(weir, web);
    assertThat(rules.subject("jane")).hasValue("jane");
    assertThat(rules.subject("Jane Doe")).isEmpty();
    assertThat(ProblemText.json(rules.unknown(Optional.of("Jane Doe"))))
        .asString()
        .contains("subject_invalid", "1 to 128 visible ASCII characters");
  }

  @Test
  void anAddressOfIpv6CountsWithItsNetwork() throws UnknownHostException {
    for (String address : List.of("2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::3")) {
      MockServerWebExchange exchange =
          MockServerWebExchange.from(MockServerHttpRequest.get("/ask/1")
              .remoteAddress(new InetSocketAddress(InetAddress.getByName(address), 1)));
      assertThat(status(filter, exchange))
          .isEqualTo(address.endsWith("3") ? HttpStatus.TOO_MANY_REQUESTS : HttpStatus.OK);
    }
  }

  @Test
  void aKeyIsInItsHeaderOrABearerToken() {
    WeirWebFilter byKey = filter(new WeirProperties.Key(WeirProperties.From.HEADER, "X-Api-Key"));
    for (String[] header :
        new String[][] {{"X-Api-Key", "mine.secret"}, {"Authorization", "bearer mine.secret"}}) {
      MockServerWebExchange exchange = MockServerWebExchange.from(
          MockServerHttpRequest.get("/ask/1").header(header[0], header[1]));
      assertThat(status(byKey, exchange)).as(header[0]).isEqualTo(HttpStatus.OK);
    }
    MockServerWebExchange other = MockServerWebExchange.from(
        MockServerHttpRequest.get("/ask/1").header("Authorization", "Basic mine.secret"));
    assertThat(status(byKey, other)).isEqualTo(HttpStatus.UNAUTHORIZED);
  }

  @Test
  void permitsAreFreeWhenARequestEndsFailsOrIsCancelled() {
    for (int i = 0; i < 3; i++) {
      assertThat(status(HttpMethod.GET, "/run")).isEqualTo(HttpStatus.OK);
    }
    Mono<Void> failing = filter.filter(
        exchange(HttpMethod.GET, "/run"), passed -> Mono.error(new IllegalStateException()));
    assertThat(failing.materialize().block(LONG).isOnError()).isTrue();
    filter
        .filter(exchange(HttpMethod.GET, "/run"), passed -> Mono.never())
        .subscribe()
        .dispose();
    await().until(() -> weir.open() == 0);
    assertThat(status(HttpMethod.GET, "/run")).isEqualTo(HttpStatus.OK);
  }
}
