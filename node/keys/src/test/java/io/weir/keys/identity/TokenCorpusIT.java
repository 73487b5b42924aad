package io.weir.keys.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import io.weir.core.policy.FailureMode;
import io.weir.keys.IssuerRsaKeys;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisTime;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each token of {@code tokens.txt} gets the answer beside it, and none that is refused makes its caller anonymous. */
final class TokenCorpusIT {
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask } }
        - { name: Open, match: { path: /open }, identity: [jwt, anonymous] }
      buckets:
        - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask, Open] }] }
      plans:
        big: { buckets: [many] }
      defaults: { plan: big }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      identity:
        jwt:
          partners:
            issuer: https://idp.example
            audience: weir
            jwks: "http://127.0.0.1:UPSTREAM/jwks"
            algorithms: [RS256, ES256]
            clockSkew: 5s
            tenantClaim: org
            planClaim: tier
        anonymous: { tenant: public }
        proxies: [127.0.0.1]
      """;
  private static final String VALID =
      "\"iss\":\"https://idp.example\",\"aud\":\"weir\",\"sub\":\"ann\",\"org\":\"acme\"";
  private static final Pattern MOMENT = Pattern.compile("\\$\\{now([+-]\\d+)}");
  private static final Pattern REPEATED = Pattern.compile("\\$\\{(text|\\[)\\*(\\d+)}");

  private static RSAKey issuer;
  private static RSAKey stranger;
  private static ECKey curve;

  @AutoClose
  private static NodeFixture fixture;

  private static int callers;

  @BeforeAll
  static void start() throws JOSEException {
    issuer = IssuerRsaKeys.issuer("one");
    stranger = IssuerRsaKeys.stranger("one");
    curve = new ECKeyGenerator(Curve.P_256).keyID("curve").generate();
    String keys = new JWKSet(List.of(issuer.toPublicJWK(), curve.toPublicJWK())).toString();
    fixture = NodeFixture.withOwnRedis(POLICY, FailureMode.DENY);
    fixture.upstreamAnswers("/jwks", request -> request.response().end(keys));
    for (String path : List.of("/ask", "/open")) {
      fixture.upstreamAnswers(
          path,
          request -> request
              .response()
              .end(request.getHeader("X-Weir-Subject") + " " + request.getHeader("X-Weir-Tenant")));
    }
  }

  /** A token of the file. */
  private record Case(String name, Map<String, String> lines) {
    String line(String field, String otherwise) {
      return lines.getOrDefault(field, otherwise);
    }

    int status() {
      return Integer.parseInt(line("answer", "").substring(0, 3));
    }

    String words() {
      return line("answer", "").substring(3).strip();
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static List<Case> cases() throws IOException {
    List<Case> cases = new ArrayList<>();
    try (InputStream in =
        Objects.requireNonNull(TokenCorpusIT.class.getResourceAsStream("tokens.txt"))) {
      for (String line : new String(in.readAllBytes(), UTF_8).split("\n", -1)) {
        if (line.startsWith("  ")) {
          String[] field = line.substring(2).split(": ", 2);
          cases.get(cases.size() - 1).lines().put(field[0], field[1].replaceFirst("^ +", ""));
        } else if (!line.isBlank() && !line.startsWith("#")) {
          cases.add(new Case(line, new HashMap<>()));
        }
      }
    }
    return cases;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aTokenGetsTheAnswerOfTheFile(Case one) throws GeneralSecurityException, JOSEException {
    String token = token(one);
    for (String path : List.of("/ask", "/open")) {
      callers++; // from an address of its own, as strangers' tries are bounded
      HttpResponse<String> answer = fixture.get(
          path,
          "Authorization",
          "Bearer " + token,
          "X-Forwarded-For",
          "198.51.%d.%d".formatted(callers / 200, callers % 200));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(one.status());
      if (one.status() == 200) {
        assertThat(answer.body()).isEqualTo(one.words());
      } else {
        refused(one, path, answer);
      }
    }
  }

  private static void refused(Case one, String path, HttpResponse<String> answer) {
    var problem = NodeFixture.json(answer);
    assertThat(problem.getString("detail", "")).contains(one.words());
    assertThat(one.words().isEmpty()).isEqualTo(!problem.containsKey("detail"));
    if (path.equals("/open")) {
      assertThat(problem.getString("code")).isEqualTo("token_invalid");
    } else {
      assertThat(problem.getString("code")).isIn("token_invalid", "key_invalid"); // it may be a key
    }
  }

  private static String token(Case one) throws GeneralSecurityException, JOSEException {
    Charset encoding = Charset.forName(one.line("encoding", "UTF-8"));
    String valid = one.line("header", "{\"alg\":\"RS256\",\"kid\":\"one\",\"typ\":\"JWT\"}");
    String header = base64(filled(valid).getBytes(encoding));
    String claims =
        base64(filled(one.line("claims", "{${valid},\"exp\":${now+60}}")).getBytes(encoding));
    String signature = signature(one.line("signed", "issuer"), header + "." + claims);
    return one.line("form", "{header}.{claims}.{signature}")
        .replace("{header}", header)
        .replace("{claims}", claims)
        .replace("{signature}", signature)
        .replace("{other signature}", other(signature));
  }

  // The last of 342 characters has four bits that 256 bytes do not need; they are zero in "A", "Q",
  // "g" and "w".
  private static String other(String signature) {
    int last = signature.length() - 1;
    return last < 0 ? "" : signature.substring(0, last) + (char) (signature.charAt(last) + 1);
  }

  private static String filled(String text) {
    long now = RedisTime.nanos() / 1_000_000_000;
    String known = text.replace("${valid}", VALID)
        .replace("${stranger}", stranger.toPublicJWK().toString());
    String timed = MOMENT
        .matcher(known)
        .replaceAll(found -> Long.toString(now + Long.parseLong(found.group(1))));
    return REPEATED
        .matcher(timed)
        .replaceAll(found ->
            (found.group(1).equals("[") ? "[" : "x").repeat(Integer.parseInt(found.group(2))));
  }

  private static String signature(String by, String text)
      throws GeneralSecurityException, JOSEException {
    return switch (by) {
      case "nobody" -> "";
      case "issuer" -> base64(rsa("SHA256withRSA", issuer, text));
      case "stranger" -> base64(rsa("SHA256withRSA", stranger, text));
      case "changed" -> base64(rsa("SHA256withRSA", issuer, text + "x"));
      case "curve" -> base64(ecdsa("SHA256withECDSAinP1363Format", text));
      case "der" -> base64(ecdsa("SHA256withECDSA", text));
      case "zeros" -> base64(new byte[64]);
      case "pss" -> base64(rsa("RSASSA-PSS", issuer, text));
      case "public key" -> {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(issuer.toRSAPublicKey().getEncoded(), "HmacSHA256"));
        yield base64(mac.doFinal(text.getBytes(UTF_8)));
      }
      default -> throw new IllegalArgumentException("signed: " + by);
    };
  }

  private static byte[] rsa(String algorithm, RSAKey key, String text)
      throws GeneralSecurityException, JOSEException {
    Signature signature = Signature.getInstance(algorithm);
    if (algorithm.equals("RSASSA-PSS")) {
      signature.setParameter(
          new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
    }
    signature.initSign(key.toPrivateKey());
    signature.update(text.getBytes(UTF_8));
    return signature.sign();
  }

  private static byte[] ecdsa(String algorithm, String text)
      throws GeneralSecurityException, JOSEException {
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(curve.toECPrivateKey());
    signature.update(text.getBytes(UTF_8));
    return signature.sign();
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
