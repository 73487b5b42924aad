package io.weir.keys.identity;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.weir.core.policy.SecretHash;
import io.weir.keys.identity.IdentityRule.Jwt;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.net.MalformedURLException;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.Date;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Verifies JSON Web Tokens (RFC 7519) as RFC 8725 recommends: the algorithm, the issuer and the audience are those of the
 * policy, never those that a token asks for; only signatures with a public key; keys only from the address in the policy.
 * A token that was verified is remembered until its end. Safe for use by many threads.
 */
@SuppressWarnings("JavaUtilDate") // the library has no other
final class WebTokens {
  private static final int MOST_CHARACTERS = 8 << 10;
  private static final int MOST_KNOWN = 20_000;
  private static final int JWKS_TIMEOUT_MILLIS = 2000;
  private static final int JWKS_MAX_BYTES = 512 << 10;
  private static final long JWKS_LASTS_MILLIS = Duration.ofMinutes(15).toMillis();
  private static final long JWKS_WAIT_MILLIS = 10_000;
  private static final long JWKS_PAUSE_MILLIS = 30_000;
  private static final long OUTAGE_MILLIS = Duration.ofHours(6).toMillis();
  private static final ProblemDetails NO_KEYS = ProblemDetails.of(
      503, "jwks_unavailable", "The keys of the token's issuer cannot be read now");
  private static final ProblemDetails BUSY = ProblemDetails.of(
      503, "keys_busy", "Too many tokens are being verified: the token may be valid");
  /** A key that its issuer has withdrawn counts no longer than this. */
  private static final Duration KNOWN_LASTS = Duration.ofMinutes(15);
  /** The bodies of all callers need the workers of Vert.x: a slow issuer must not hold them. */
  private static final int WORKERS = 4;

  private static final int MOST_UNDER_WAY = 200;
  private static final Set<JOSEObjectType> TYPES =
      Set.of(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"));

  private final LongSupplier nowMillis;
  private final Map<Jwt, DefaultJWTProcessor<SecurityContext>> issuers = new ConcurrentHashMap<>();
  private final Cache<String, Verified> known = Caffeine.newBuilder()
      .maximumSize(MOST_KNOWN)
      .expireAfterWrite(KNOWN_LASTS)
      .build();
  private final WorkerExecutor workers;
  private final AtomicInteger underWay = new AtomicInteger();

  /** @param nowMillis by Redis's clock */
  WebTokens(Vertx vertx, LongSupplier nowMillis) {
    this.workers = vertx.createSharedWorkerExecutor("weir-tokens", WORKERS);
    this.nowMillis = nowMillis;
  }

  /**
   * A token that was verified.
   *
   * @param jwt by whose rules
   */
  record Verified(
      Jwt jwt, String subject, Optional<String> tenant, Optional<String> plan, long endsMillis) {}

  /** Whether a text has the form of a token: three parts, the first of which is an object of JSON. */
  static boolean isOne(String text) {
    return text.startsWith("eyJ")
        && text.length() <= MOST_CHARACTERS
        && text.chars().filter(c -> c == '.').count() == 2;
  }

  /** A token that was verified before, by rules that still count. */
  Optional<Verified> remembered(String token, IdentityRule rule) {
    Verified verified = known.getIfPresent(SecretHash.of(token).compact());
    return Optional.ofNullable(verified)
        .filter(it -> it.jwt().equals(rule.jwt().get(it.jwt().issuer())))
        .filter(it -> nowMillis.getAsLong() < it.endsMillis());
  }

  /** Verifies a token; empty if it is not valid. Fails with {@link RefusedException} if the keys cannot be read. */
  Future<Optional<Verified>> verify(String token, IdentityRule rule) {
    if (underWay.incrementAndGet() > MOST_UNDER_WAY) {
      underWay.decrementAndGet();
      return Future.failedFuture(new RefusedException(BUSY));
    }
    return workers
        .executeBlocking(() -> verified(token, rule), false)
        .onComplete(done -> underWay.decrementAndGet())
        .onSuccess(
            verified -> verified.ifPresent(it -> known.put(SecretHash.of(token).compact(), it)));
  }

  private Optional<Verified> verified(String token, IdentityRule rule) {
    try {
      SignedJWT signed = SignedJWT.parse(token);
      String issuer = signed.getJWTClaimsSet().getIssuer();
      Jwt jwt = issuer == null ? null : rule.jwt().get(issuer);
      if (jwt == null) {
        return Optional.empty();
      }
      JWTClaimsSet claims = processor(jwt, rule).process(signed, null);
      long ends = claims.getExpirationTime().getTime() + jwt.clockSkewMillis();
      return Optional.of(new Verified(
          jwt,
          claim(claims, jwt.subject()).orElse(""),
          claim(claims, jwt.tenantClaim()),
          claim(claims, jwt.planClaim()),
          ends));
    } catch (RateLimitReachedException e) {
      return Optional.empty(); // the keys were read a moment ago, and this one was not among them
    } catch (KeySourceException | MalformedURLException e) {
      throw new RefusedException(NO_KEYS);
    } catch (ParseException | BadJOSEException | JOSEException e) {
      return Optional.empty();
    }
  }

  private static Optional<String> claim(JWTClaimsSet claims, Optional<String> name)
      throws BadJOSEException {
    return name.isPresent() ? claim(claims, name.get()) : Optional.empty();
  }

  // A claim of another type is no claim that was left out.
  private static Optional<String> claim(JWTClaimsSet claims, String name) throws BadJOSEException {
    Object value = claims.getClaim(name);
    if (value != null && !(value instanceof String)) {
      throw new BadJOSEException("a claim is no text");
    }
    return Optional.ofNullable((String) value);
  }

  private DefaultJWTProcessor<SecurityContext> processor(Jwt jwt, IdentityRule rule)
      throws MalformedURLException {
    DefaultJWTProcessor<SecurityContext> processor = issuers.get(jwt);
    if (processor == null) {
      issuers.keySet().retainAll(Set.copyOf(rule.jwt().values()));
      processor = issuers.computeIfAbsent(jwt, this::made);
    }
    return processor;
  }

  private DefaultJWTProcessor<SecurityContext> made(Jwt jwt) {
    Set<JWSAlgorithm> algorithms =
        jwt.algorithms().stream().map(JWSAlgorithm::parse).collect(Collectors.toSet());
    DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(types()));
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(algorithms, keys(jwt)));
    processor.setJWTClaimsSetVerifier(verifier(jwt));
    return processor;
  }

  // A token may leave out its type.
  private static Set<JOSEObjectType> types() {
    Set<JOSEObjectType> types = new HashSet<>(TYPES);
    types.add(null);
    return types;
  }

  private DefaultJWTClaimsVerifier<SecurityContext> verifier(Jwt jwt) {
    DefaultJWTClaimsVerifier<SecurityContext> verifier =
        new DefaultJWTClaimsVerifier<>(
            jwt.audience(),
            new JWTClaimsSet.Builder().issuer(jwt.issuer()).build(),
            Set.of("exp", jwt.subject())) {
          @Override
          protected Date currentTime() {
            return new Date(nowMillis.getAsLong());
          }
        };
    verifier.setMaxClockSkew((int) (jwt.clockSkewMillis() / 1000));
    return verifier;
  }

  private static JWKSource<SecurityContext> keys(Jwt jwt) {
    try {
      JWKSourceBuilder<SecurityContext> builder = jwt.keys().getScheme().equals("file")
          ? JWKSourceBuilder.create(new KeyFile(Path.of(jwt.keys())))
          : JWKSourceBuilder.create(
              jwt.keys().toURL(),
              new DefaultResourceRetriever(
                  JWKS_TIMEOUT_MILLIS, JWKS_TIMEOUT_MILLIS, JWKS_MAX_BYTES));
      return builder
          .cache(JWKS_LASTS_MILLIS, JWKS_WAIT_MILLIS)
          .rateLimited(JWKS_PAUSE_MILLIS)
          .outageTolerant(OUTAGE_MILLIS)
          .build();
    } catch (MalformedURLException e) {
      throw new IllegalStateException("the policy has read the address", e);
    }
  }
}
