package io.weir.keys.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.FailureMode;
import io.weir.keys.IssuerRsaKeys;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisTime;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An issuer whose keys cannot be read delays its own tokens alone, and they are valid again once it is back. */
@SuppressWarnings("JavaUtilDate") // the library has no other
@Tag("isolation")
final class SlowIssuersIT {
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask } }
      buckets:
        - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask] }] }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      identity:
        jwt:
          good: { issuer: good, audience: weir, jwks: "http://127.0.0.1:UPSTREAM/good", tenant: acme }
          slow: { issuer: slow, audience: weir, jwks: "http://127.0.0.1:UPSTREAM/slow", tenant: acme }
          moved: { issuer: moved, audience: weir, jwks: "http://127.0.0.1:UPSTREAM/moved", tenant: acme }
          long: { issuer: long, audience: weir, jwks: "http://127.0.0.1:UPSTREAM/long", tenant: acme }
      """;
  private static final int OF_SLOW = 24;
  private static final int OF_GOOD = 100;

  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final AtomicBoolean IS_BACK = new AtomicBoolean();
  private static final AtomicInteger REDIRECTED = new AtomicInteger();
  private static RSAKey key;

  @AutoClose
  private static NodeFixture fixture;

  @BeforeAll
  static void start() {
    key = IssuerRsaKeys.issuer("one");
    String keys = new JWKSet(key.toPublicJWK()).toString();
    fixture = new NodeFixture(POLICY, FailureMode.DENY);
    fixture.upstreamAnswers("/good", request -> request.response().end(keys));
    fixture.upstreamAnswers("/slow", request -> {
      if (IS_BACK.get()) {
        request.response().end(keys);
      } else {
        drip(request);
      }
    });
    fixture.upstreamAnswers(
        "/moved",
        request -> request
            .response()
            .setStatusCode(302)
            .putHeader("Location", "/elsewhere")
            .end());
    fixture.upstreamAnswers("/elsewhere", request -> {
      REDIRECTED.incrementAndGet();
      request.response().end(keys);
    });
    fixture.upstreamAnswers(
        "/long", request -> request.response().end(keys + " ".repeat(KeyReading.MAX_BYTES)));
    fixture.upstreamAnswers("/ask", request -> request.response().end("done"));
    unavailable(ask(token("moved", "first")).join()); // the first one loads classes for a second
  }

  private static void drip(HttpServerRequest request) {
    Vertx vertx = Vertx.currentContext().owner();
    request.response().setChunked(true).write("{");
    long timer = vertx.setPeriodic(1000, tick -> request.response().write(" "));
    request.connection().closeHandler(closed -> vertx.cancelTimer(timer));
  }

  private static String token(String issuer, String subject) {
    try {
      JWTClaimsSet claims = new JWTClaimsSet.Builder()
          .issuer(issuer)
          .audience("weir")
          .subject(subject)
          .expirationTime(new Date(RedisTime.nanos() / 1_000_000 + 600_000))
          .build();
      SignedJWT token =
          new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("one").build(), claims);
      token.sign(new RSASSASigner(key));
      return token.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private static CompletableFuture<HttpResponse<String>> ask(String token) {
    HttpRequest request = HttpRequest.newBuilder(fixture.uri("/ask"))
        .header("Authorization", "Bearer " + token)
        .build();
    return CLIENT.sendAsync(request, BodyHandlers.ofString()).orTimeout(20, TimeUnit.SECONDS);
  }

  private static void unavailable(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(NodeFixture.json(answer).getString("code")).isEqualTo("jwks_unavailable");
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
  }

  @Test
  void oneSlowIssuerStopsTheTokensOfNoOther() {
    List<CompletableFuture<HttpResponse<String>>> ofSlow =
        IntStream.range(0, OF_SLOW).mapToObj(i -> ask(token("slow", "s" + i))).toList();
    List<CompletableFuture<HttpResponse<String>>> ofGood =
        IntStream.range(0, OF_GOOD).mapToObj(i -> ask(token("good", "g" + i))).toList();

    ofGood.forEach(answer ->
        assertThat(answer.join().statusCode()).as(answer.join().body()).isEqualTo(200));
    ofSlow.forEach(answer -> unavailable(answer.join()));

    IS_BACK.set(true);
    String token = token("slow", "again");
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(ask(token).join().statusCode()).isEqualTo(200));
  }

  @Test
  void aTokenWithoutASignatureMakesNobodyReadKeys() {
    String[] parts = token("slow", "a").split("\\.", -1);
    String none = Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString("{\"alg\":\"none\"}".getBytes(UTF_8));
    assertThat(ask(none + "." + parts[1] + ".").join().statusCode()).isEqualTo(401);
  }

  @Test
  void keysAreReadFromTheAddressOfThePolicyAlone() {
    unavailable(ask(token("moved", "a")).join());
    assertThat(REDIRECTED).hasValue(0);
  }

  @Test
  void tooManyKeysAreNotRead() {
    unavailable(ask(token("long", "a")).join());
  }
}
