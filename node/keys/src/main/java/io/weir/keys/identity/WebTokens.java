package io.weir.keys.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.source.JWKSecurityContextJWKSet;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWKSecurityContext;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.weir.core.policy.SecretHash;
import io.weir.keys.identity.IdentityRule.Jwt;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.text.ParseException;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Verifies JSON Web Tokens (RFC 7519) as RFC 8725 recommends: the algorithm, the issuer and the audience are those of the
 * policy, never those that a token asks for; only signatures with a public key; keys only from the address in the policy.
 * A token that was verified is remembered until its end. An issuer whose keys cannot be read delays its own tokens alone.
 * Safe for use by many threads.
 */
final class WebTokens {
  private static final int MOST_CHARACTERS = 8 << 10;
  private static final int MOST_KNOWN = 20_000;
  private static final ProblemDetails INVALID =
      ProblemDetails.of(401, "token_invalid", "The token is not valid");
  private static final ProblemDetails BUSY = ProblemDetails.of(
      503, "keys_busy", "Too many tokens are being verified: the token may be valid");
  /** A key that its issuer has withdrawn counts no longer than this. */
  private static final Duration KNOWN_LASTS = Duration.ofMinutes(15);
  /** Signatures take the time of a processor: the workers of Vert.x have others to serve. */
  private static final int WORKERS = 4;

  private static final int MOST_UNDER_WAY = 200;
  private static final Set<JOSEObjectType> TYPES =
      Set.of(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"));

  private final Vertx vertx;
  private final LongSupplier nowMillis;
  private final LongSupplier nanos;
  private final Map<Jwt, Issuer> issuers = new ConcurrentHashMap<>();
  private final Cache<String, Verified> known = Caffeine.newBuilder()
      .maximumSize(MOST_KNOWN)
      .expireAfterWrite(KNOWN_LASTS)
      .build();
  private final WorkerExecutor workers;
  private final AtomicInteger underWay = new AtomicInteger();

  /**
   * @param nowMillis by Redis's clock
   * @param nanos a clock that never goes back
   */
  WebTokens(Vertx vertx, LongSupplier nowMillis, LongSupplier nanos) {
    this.vertx = vertx;
    this.workers = vertx.createSharedWorkerExecutor("weir-tokens", WORKERS);
    this.nowMillis = nowMillis;
    this.nanos = nanos;
  }

  /** The result of verifying a token. */
  sealed interface Verdict {
    /** Whether the token is valid. */
    boolean isValid();

    /** Its subject; throws {@link RefusedException} if it is not valid. */
    Verified orThrow();
  }

  /**
   * A token that was verified.
   *
   * @param jwt by whose rules
   */
  record Verified(
      Jwt jwt, String subject, Optional<String> tenant, Optional<String> plan, long endsMillis)
      implements Verdict {
    @Override
    public boolean isValid() {
      return true;
    }

    @Override
    public Verified orThrow() {
      return this;
    }
  }

  /**
   * A token that is not valid.
   *
   * @param mistakes for the caller, if its issuer has signed it
   */
  record Rejected(List<String> mistakes) implements Verdict {
    static final Rejected WITHOUT_REASON = new Rejected(List.of());

    Rejected {
      mistakes = List.copyOf(mistakes);
    }

    @Override
    public boolean isValid() {
      return false;
    }

    @Override
    public Verified orThrow() {
      throw new RefusedException(
          mistakes.isEmpty() ? INVALID : INVALID.with("detail", String.join("; ", mistakes)));
    }
  }

  /** The refusal of a credential that has not even the form of a token. */
  static RefusedException invalid() {
    return new RefusedException(INVALID);
  }

  /** An issuer, and how its tokens are verified. */
  private record Issuer(
      Jwt rule, IssuerKeys keys, DefaultJWTProcessor<JWKSecurityContext> processor) {}

  /** A token that can be read, of an issuer of the policy. */
  private record Parsed(SignedJWT token, Issuer issuer) {}

  /** Whether a text has the form of a token: three parts, the first of which is an object of JSON in Base64. */
  static boolean isOne(String text) {
    return text.length() <= MOST_CHARACTERS
        && text.chars().filter(c -> c == '.').count() == 2
        && isObject(text.substring(0, text.indexOf('.')));
  }

  private static boolean isObject(String part) {
    try {
      String text = new String(Base64.getUrlDecoder().decode(part), UTF_8);
      return text.startsWith("{") && text.endsWith("}");
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** A token that was verified before, by rules that still count. */
  Optional<Verified> remembered(String token, IdentityRule rule) {
    Verified verified = known.getIfPresent(SecretHash.of(token).compact());
    return Optional.ofNullable(verified)
        .filter(it -> it.jwt().equals(rule.jwt().get(it.jwt().issuer())))
        .filter(it -> nowMillis.getAsLong() < it.endsMillis());
  }

  /**
   * Verifies a token.
   *
   * @param token a text that {@link #isOne}
   * @return fails with {@link RefusedException} if it cannot be told now whether the token is valid
   */
  Future<Verdict> verify(String token, IdentityRule rule) {
    return inWorker(() -> parsed(token, rule))
        .compose(parsed -> parsed.map(this::verdict).orElseGet(WebTokens::rejected))
        .onSuccess(verdict -> {
          if (verdict instanceof Verified verified) {
            known.put(SecretHash.of(token).compact(), verified);
          }
        });
  }

  private static Future<Verdict> rejected() {
    return Future.succeededFuture(Rejected.WITHOUT_REASON);
  }

  private <T> Future<T> inWorker(Callable<T> work) {
    if (underWay.incrementAndGet() > MOST_UNDER_WAY) {
      underWay.decrementAndGet();
      return Future.failedFuture(new RefusedException(BUSY));
    }
    return workers.executeBlocking(work, false).onComplete(done -> underWay.decrementAndGet());
  }

  private Optional<Parsed> parsed(String token, IdentityRule rule) {
    try {
      SignedJWT signed = SignedJWT.parse(token);
      String issuer = signed.getJWTClaimsSet().getIssuer();
      return Optional.ofNullable(issuer)
          .filter(name -> isExact(signed.getSignature()))
          .flatMap(name -> Optional.ofNullable(rule.jwt().get(name)))
          .filter(jwt -> jwt.valid()
              .algorithms()
              .contains(signed.getHeader().getAlgorithm().getName()))
          .map(jwt -> new Parsed(signed, issuer(jwt, rule)));
    } catch (ParseException e) {
      return Optional.empty();
    }
  }

  // Another text of the same bytes would be another token: verified anew, at no cost for its
  // caller.
  private static boolean isExact(Base64URL signature) {
    return Base64URL.encode(signature.decode()).equals(signature);
  }

  // A worker has work only once the keys are there.
  private Future<Verdict> verdict(Parsed parsed) {
    Context context = vertx.getOrCreateContext();
    JWKSelector wanted = new JWKSelector(JWKMatcher.forJWSHeader(parsed.token().getHeader()));
    return Future.fromCompletionStage(parsed.issuer().keys().matching(wanted), context)
        .compose(keys -> keys.isEmpty() ? rejected() : inWorker(() -> verified(parsed, keys)));
  }

  private Verdict verified(Parsed parsed, List<JWK> keys) {
    try {
      Issuer issuer = parsed.issuer();
      var claims = issuer.processor().process(parsed.token(), new JWKSecurityContext(keys));
      return TokenClaims.judge(claims, issuer.rule(), nowMillis.getAsLong());
    } catch (BadJOSEException | JOSEException e) {
      return Rejected.WITHOUT_REASON;
    }
  }

  private Issuer issuer(Jwt jwt, IdentityRule rule) {
    Issuer issuer = issuers.get(jwt);
    if (issuer == null) {
      issuers.keySet().retainAll(Set.copyOf(rule.jwt().values()));
      issuer = issuers.computeIfAbsent(jwt, this::made);
    }
    return issuer;
  }

  private Issuer made(Jwt jwt) {
    Set<JWSAlgorithm> algorithms =
        jwt.valid().algorithms().stream().map(JWSAlgorithm::parse).collect(Collectors.toSet());
    DefaultJWTProcessor<JWKSecurityContext> processor = new DefaultJWTProcessor<>();
    processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(types()));
    processor.setJWSKeySelector(
        new JWSVerificationKeySelector<>(algorithms, new JWKSecurityContextJWKSet()));
    processor.setJWTClaimsSetVerifier((claims, keys) -> {}); // they are judged by the rules
    return new Issuer(jwt, new IssuerKeys(jwt.issuer(), reading(jwt), nanos), processor);
  }

  // A token may leave out its type.
  private static Set<JOSEObjectType> types() {
    Set<JOSEObjectType> types = new HashSet<>(TYPES);
    types.add(null);
    return types;
  }

  private KeyReading reading(Jwt jwt) {
    return jwt.valid().keys().getScheme().equals("file")
        ? new KeyFile(workers, jwt.valid().keys())
        : KeyAddress.of(jwt.valid().keys());
  }
}
