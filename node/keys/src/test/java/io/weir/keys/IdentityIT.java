package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.SecretHash;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisTime;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who a caller of the gateway is, by each source; and the attacks that RFC 8725 lists. */
@SuppressWarnings("JavaUtilDate") // the library has no other
final class IdentityIT {
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask } }
        - { name: Open, match: { path: /open }, identity: [anonymous] }
        - { name: Keys, match: { path: /keys }, identity: [apiKey] }
        - { name: Tokens, match: { path: /tokens }, identity: [jwt, anonymous] }
        - { name: Public, match: { path: /public }, identity: [apiKey, anonymous] }
      buckets:
        - { name: few, burstPeriod: 1000, throttleGroups: [{ milliOpsPerSec: 5, operations: [Ask, Open, Keys, Tokens, Public] }] }
        - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask, Open, Keys, Tokens, Public] }] }
      plans:
        tiny: { buckets: [few] }
        big: { buckets: [many] }
      defaults: { plan: big }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      subjects:
        - { match: "partners:ruled-*", tenant: app, plan: tiny }
        - { id: k1, tenant: acme, secretHash: "%s" }
      identity:
        apiKey: { headers: [X-Api-Key, X-Old-Key], basic: true, query: api_key }
        jwt:
          partners:
            issuer: https://idp.example
            audience: weir
            jwks: "http://127.0.0.1:UPSTREAM/jwks"
            algorithms: [RS256]
            clockSkew: 5s
            tenantClaim: org
            planClaim: tier
        header: { name: X-User, from: [127.0.0.1], tenant: users }
        anonymous: { tenant: public, plan: tiny }
        proxies: [127.0.0.1]
      """.formatted(SecretHash.of("secret").formatted());

  private static final AtomicInteger READS = new AtomicInteger();
  private static final AtomicReference<String> KEYS = new AtomicReference<>("");
  private static RSAKey rsa;

  @AutoClose
  private static NodeFixture fixture;

  @BeforeAll
  static void start() {
    rsa = IssuerRsaKeys.issuer("one");
    KEYS.set(new JWKSet(rsa.toPublicJWK()).toString());
    fixture = NodeFixture.withOwnRedis(POLICY, FailureMode.DENY);
    fixture.upstreamAnswers("/jwks", request -> {
      READS.incrementAndGet();
      request.response().putHeader("Content-Type", "application/json").end(KEYS.get());
    });
  }

  @BeforeEach
  void answer() {
    for (String path : List.of("/ask", "/open", "/keys", "/tokens", "/public")) {
      fixture.upstreamAnswers(
          path,
          request -> request
              .response()
              .end(request.getHeader("X-Weir-Subject") + " " + request.getHeader("X-Weir-Tenant")));
    }
  }

  private static HttpResponse<String> get(String path, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(fixture.uri(path));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return fixture.send(request);
  }

  private static HttpResponse<String> withToken(String token) {
    return get("/ask", "Authorization", "Bearer " + token);
  }

  private static void refused(HttpResponse<String> answer, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(401);
    assertThat(NodeFixture.json(answer).getString("code")).isEqualTo(code);
  }

  private static JWTClaimsSet.Builder claims(String subject) {
    long now = RedisTime.nanos() / 1_000_000;
    return new JWTClaimsSet.Builder()
        .issuer("https://idp.example")
        .audience(List.of("other", "weir"))
        .subject(subject)
        .claim("org", "acme")
        .issueTime(new Date(now))
        .expirationTime(new Date(now + 60_000));
  }

  private static String signed(JWTClaimsSet claims) {
    return signed(claims, header -> {}, rsa);
  }

  private static String signed(JWTClaimsSet claims, Consumer<JWSHeader.Builder> change, RSAKey by) {
    JWSHeader.Builder header = new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("one");
    change.accept(header);
    try {
      return signed(header.build(), claims, new RSASSASigner(by));
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String signed(JWSHeader header, JWTClaimsSet claims, JWSSigner signer) {
    try {
      SignedJWT token = new SignedJWT(header, claims);
      token.sign(signer);
      return token.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aTokenNamesItsSubjectTenantAndPlan() {
    HttpResponse<String> answer = withToken(signed(claims("4711").build()));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("partners:4711 acme");
    String tiny = signed(claims("tiny").claim("tier", "tiny").build());
    for (int i = 0; i < 5; i++) {
      assertThat(withToken(tiny).statusCode()).isEqualTo(200);
    }
    assertThat(withToken(tiny).statusCode()).isEqualTo(429);
    HttpResponse<String> odd =
        withToken(signed(claims("odd").claim("tier", "none").build()));
    assertThat(odd.statusCode()).isEqualTo(403);
    JWTClaimsSet ruled = claims("ruled-7").claim("org", null).build();
    assertThat(withToken(signed(ruled)).body()).isEqualTo("partners:ruled-7 app");
    refused(withToken(signed(claims("unruled").claim("org", null).build())), "subject_unknown");
  }

  @Test
  void aSubjectOfWhichOnlyTokensStateTheTenantIsFrozen() {
    Operating admin = Operating.on(fixture);
    String path = "/v1/keys/partners%3Asteered";
    String frozen = "{\"state\": \"frozen\"}";
    String token = signed(claims("steered").claim("tier", "tiny").build());
    assertThat(admin.ask("PATCH", path, frozen).statusCode()).isEqualTo(404);
    assertThat(withToken(token).statusCode()).isEqualTo(200);

    HttpResponse<String> made = admin.ask("PATCH", path, frozen);

    assertThat(made.statusCode()).as(made.body()).isEqualTo(200);
    assertThat(NodeFixture.json(made).getString("tenant")).isEqualTo("acme");
    assertThat(NodeFixture.json(made).getString("plan")).isEqualTo("tiny");
    within(() -> assertThat(withToken(token).statusCode()).isEqualTo(403));
    JWTClaimsSet elsewhere = claims("steered").claim("org", "other").build();
    assertThat(withToken(signed(elsewhere)).statusCode()).isEqualTo(200);
    assertThat(admin.ask("PATCH", path, "{\"state\": \"active\"}").statusCode()).isEqualTo(200);
    within(() -> assertThat(withToken(token).statusCode()).isEqualTo(200));
  }

  @Test
  void theTenantOfANameThatSeveralTenantsHaveIsNotGuessed() {
    Operating admin = Operating.on(fixture);
    for (String tenant : List.of("acme", "other")) {
      String token = signed(claims("twice").claim("org", tenant).build());
      assertThat(withToken(token).statusCode()).isEqualTo(200);
    }
    HttpResponse<String> refused =
        admin.ask("PATCH", "/v1/keys/partners%3Atwice", "{\"state\": \"frozen\"}");
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
    assertThat(NodeFixture.json(refused).getString("code")).isEqualTo("subject_ambiguous");
    assertThat(NodeFixture.json(refused).getJsonArray("tenants")).containsExactly("acme", "other");
  }

  private static void within(Runnable condition) {
    await().atMost(Duration.ofMinutes(1)).untilAsserted(condition::run);
  }

  @Test
  void aTokenWithoutASignatureIsRefused() {
    refused(withToken(new PlainJWT(claims("a").build()).serialize()), "token_invalid");
    String[] parts = signed(claims("a").build()).split("\\.", -1);
    String none = Base64URL.encode("{\"alg\":\"none\",\"typ\":\"JWT\"}").toString();
    refused(withToken(none + "." + parts[1] + "."), "token_invalid");
    refused(withToken(parts[0] + "." + parts[1] + "."), "token_invalid");
  }

  @Test
  void aPublicKeyIsNoSharedSecret() throws JOSEException {
    byte[] publicKey = rsa.toRSAPublicKey().getEncoded();
    JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("one").build();
    refused(
        withToken(signed(header, claims("a").build(), new MACSigner(publicKey))), "token_invalid");
  }

  @Test
  void onlyTheListedAlgorithmCounts() throws JOSEException {
    JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.PS256).keyID("one").build();
    refused(withToken(signed(header, claims("a").build(), new RSASSASigner(rsa))), "token_invalid");
  }

  @Test
  void anotherAudienceOrIssuerIsRefused() {
    refused(withToken(signed(claims("a").audience("other").build())), "token_invalid");
    refused(withToken(signed(claims("a").audience((String) null).build())), "token_invalid");
    refused(withToken(signed(claims("a").issuer("https://evil.example").build())), "token_invalid");
  }

  @Test
  void aTokenCountsFromItsBeginToItsEnd() {
    long now = RedisTime.nanos() / 1_000_000;
    refused(
        withToken(signed(claims("a").expirationTime(new Date(now - 10_000)).build())),
        "token_invalid");
    refused(withToken(signed(claims("a").expirationTime(null).build())), "token_invalid");
    refused(
        withToken(signed(claims("a").notBeforeTime(new Date(now + 60_000)).build())),
        "token_invalid");
  }

  @Test
  void aKeyInTheTokenIsNotUsed() {
    RSAKey evil = IssuerRsaKeys.stranger("one");
    refused(
        withToken(signed(claims("a").build(), header -> header.jwk(evil.toPublicJWK()), evil)),
        "token_invalid");
    refused(
        withToken(signed(
            claims("a").build(),
            header -> header.jwkURL(URI.create("http://127.0.0.1:1/jwks")),
            evil)),
        "token_invalid");
    int status = withToken(
            signed(claims("a").build(), header -> header.keyID("../../../../dev/null"), evil))
        .statusCode();
    assertThat(status).isEqualTo(401);
  }

  @Test
  void aTokenForSomethingElseIsRefused() {
    refused(
        withToken(signed(
            claims("a").build(), header -> header.type(new JOSEObjectType("dpop+jwt")), rsa)),
        "token_invalid");
    refused(
        withToken(signed(
            claims("a").build(),
            header -> header.criticalParams(Set.of("exp2")).customParam("exp2", 1),
            rsa)),
        "token_invalid");
  }

  @Test
  void aChangedTokenIsRefused() {
    String[] parts = signed(claims("a").build()).split("\\.", -1);
    String other = Base64URL.encode(
            claims("admin").build().toString().getBytes(StandardCharsets.UTF_8))
        .toString();
    refused(withToken(parts[0] + "." + other + "." + parts[2]), "token_invalid");
  }

  @Test
  void aNewKeyOfTheIssuerIsReadWhenATokenNamesIt() {
    assertThat(withToken(signed(claims("before").build())).statusCode()).isEqualTo(200);
    RSAKey two = IssuerRsaKeys.stranger("two");
    KEYS.set(new JWKSet(List.of(rsa.toPublicJWK(), two.toPublicJWK())).toString());
    HttpResponse<String> answer =
        withToken(signed(claims("after").build(), header -> header.keyID("two"), two));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    int reads = READS.get();
    for (int i = 0; i < 20; i++) {
      String kid = "unknown" + i;
      int status = withToken(signed(claims("a").build(), header -> header.keyID(kid), two))
          .statusCode();
      assertThat(status).isEqualTo(401);
    }
    assertThat(READS.get() - reads).isLessThanOrEqualTo(2);
    assertThat(withToken(signed(claims("still").build())).statusCode()).isEqualTo(200);
  }

  @Test
  void aKeyMayBeInSeveralPlaces() {
    String basic = Base64.getEncoder().encodeToString("k1:secret".getBytes(StandardCharsets.UTF_8));
    String password =
        Base64.getEncoder().encodeToString(":k1.secret".getBytes(StandardCharsets.UTF_8));
    Map.of(
            "X-Api-Key", "k1.secret",
            "X-Old-Key", "k1.secret",
            "Authorization", "Bearer k1.secret")
        .forEach((name, value) ->
            assertThat(get("/ask", name, value).body()).as(name).isEqualTo("k1 acme"));
    assertThat(get("/ask", "Authorization", "Basic " + basic).body()).isEqualTo("k1 acme");
    assertThat(get("/ask", "Authorization", "Basic " + password).body()).isEqualTo("k1 acme");
    assertThat(get("/ask?api_key=k1.secret").body()).isEqualTo("k1 acme");
    refused(get("/ask", "Authorization", "Basic !!"), "key_invalid");
  }

  @Test
  void aKeyThatWasCheckedIsNotForwardedAndOthersAre() {
    fixture.upstreamAnswers(
        "/keys",
        request -> request
            .response()
            .end(request.headers().get("X-Old-Key") + " " + request.headers().get("Authorization")
                + " " + request.uri()));
    assertThat(get("/keys", "X-Old-Key", "k1.secret", "Authorization", "Bearer upstream")
            .body())
        .isEqualTo("null Bearer upstream /keys");
    assertThat(get("/keys?a=1&api%5Fkey=k1.secret&b=2").body())
        .isEqualTo("null null /keys?a=1&b=2");
    assertThat(get("/keys", "Authorization", "Bearer k1.secret").body())
        .isEqualTo("null null /keys");
  }

  @Test
  void aKeyInAHeaderOfItsOwnCountsBeforeAToken() {
    fixture.upstreamAnswers(
        "/keys",
        request -> request
            .response()
            .end(request.getHeader("X-Weir-Subject") + " " + request.getHeader("Authorization")
                + " " + request.getHeader("X-Api-Key")));
    String foreign = signed(claims("a").issuer("https://else.example").build());
    assertThat(get("/keys", "X-Api-Key", "k1.secret", "Authorization", "Bearer " + foreign)
            .body())
        .isEqualTo("k1 Bearer " + foreign + " null");
    fixture.upstreamAnswers(
        "/open",
        request -> request
            .response()
            .end(request.getHeader("X-Weir-Subject") + " " + request.getHeader("X-Api-Key")));
    assertThat(get("/open", "X-Api-Key", "k1.secret", "X-Forwarded-For", "198.51.100.99")
            .body())
        .isEqualTo("ip:198.51.100.99 null");
  }

  @Test
  void aCredentialThatIsNotUnderstoodMakesNobodyAnonymous() {
    for (String shown : List.of(
        "Bearer garbage",
        "Bearer a.b",
        "Bearer a.b.c.d.e",
        "Bearer " + "x".repeat(9000),
        "Bearer")) {
      refused(get("/tokens", "Authorization", shown), "token_invalid");
    }
    for (String shown : List.of("Basic azE6d3Jvbmc=", "Digest username=\"k1\"", "k1.secret")) {
      refused(get("/tokens", "Authorization", shown), "token_invalid");
      refused(get("/public", "Authorization", shown), "key_invalid");
    }
    refused(get("/public", "Authorization", "Bearer garbage"), "key_invalid");
    // Where nothing is looked for in it, it belongs to the upstream.
    assertThat(get("/open", "Authorization", "Bearer garbage", "X-Forwarded-For", "198.51.100.20")
            .statusCode())
        .isEqualTo(200);
    assertThat(get("/tokens", "X-Forwarded-For", "198.51.100.21").body())
        .isEqualTo("ip:198.51.100.21 public");
  }

  @Test
  void aKeyInTheQueryIsFoundAsItIsRemoved() {
    refused(get("/keys?x=1;api_key=k1.secret"), "key_missing");
    refused(get("/keys?API_KEY=k1.secret"), "key_missing");
    assertThat(fixture.raw("GET /keys?%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 401 ");
  }

  @Test
  void theHeaderOfAProxyHasOneNameAndIsNotForwarded() {
    refused(get("/ask", "X_User", "admin"), "identity_untrusted");
    fixture.upstreamAnswers(
        "/ask",
        request -> request
            .response()
            .end(request.getHeader("X-Weir-Subject") + " " + request.getHeader("X-Weir-Tenant")
                + (request.getHeader("X-User") == null ? "" : " leaked")));
    assertThat(get("/ask", "X-User", "ann").body()).isEqualTo("user:ann users");
    refused(get("/ask", "X-User", ""), "subject_invalid");
  }

  @Test
  void aTrustedProxyNamesTheCaller() {
    assertThat(get("/ask", "X-User", "joe@example.com").body())
        .isEqualTo("user:joe@example.com users");
    refused(get("/ask", "X-User", "joe", "X-User", "admin"), "identity_untrusted");
    refused(get("/ask", "X-User", "joe smith"), "subject_invalid");
  }

  @Test
  void callersWithoutAnythingAreCountedByAddress() {
    for (int i = 0; i < 5; i++) {
      HttpResponse<String> answer =
          get("/open", "X-Forwarded-For", "203.0.113." + i + ", 198.51.100.7");
      assertThat(answer.body()).isEqualTo("ip:198.51.100.7 public");
    }
    assertThat(get("/open", "X-Forwarded-For", "198.51.100.7").statusCode()).isEqualTo(429);
    assertThat(get("/open", "X-Forwarded-For", "2001:db8::1").body())
        .isEqualTo("ip:2001:db8::/64 public");
    // A credential that is not valid makes nobody anonymous, and one that does not count is not
    // looked at.
    refused(get("/ask", "X-Api-Key", "k1.wrong"), "key_invalid");
    assertThat(get("/open", "X-Api-Key", "k1.wrong", "X-Forwarded-For", "198.51.100.8")
            .statusCode())
        .isEqualTo(200);
    refused(get("/keys"), "key_missing");
  }
}
