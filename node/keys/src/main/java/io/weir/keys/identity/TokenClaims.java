package io.weir.keys.identity;

import com.nimbusds.jwt.JWTClaimsSet;
import io.weir.core.bucket.Names;
import io.weir.keys.identity.IdentityRule.Jwt;
import io.weir.keys.identity.WebTokens.Rejected;
import io.weir.keys.identity.WebTokens.Verdict;
import io.weir.keys.identity.WebTokens.Verified;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Optional;

/**
 * Judges the claims of a token whose signature is valid, by the rules of its issuer (RFC 7519, section 4.1). A mistake
 * names the claim and what was expected, and never repeats a value.
 */
@SuppressWarnings("JavaUtilDate") // the library has no other
final class TokenClaims {
  private static final String TEXT =
      "%s: (expected: a text, a whole number, or a list with one of them)";

  private final JWTClaimsSet claims;
  private final Jwt rule;
  private final List<String> mistakes = new ArrayList<>(0);

  private TokenClaims(JWTClaimsSet claims, Jwt rule) {
    this.claims = claims;
    this.rule = rule;
  }

  static Verdict judge(JWTClaimsSet claims, Jwt rule, long nowMillis) {
    return new TokenClaims(claims, rule).judged(nowMillis);
  }

  private Verdict judged(long nowMillis) {
    long end = end(nowMillis);
    checkBegin(nowMillis);
    checkAudience();
    Verified verified =
        new Verified(rule, subject(), tenant(), rule.claims().plan().flatMap(this::text), end);
    return mistakes.isEmpty() ? verified : new Rejected(mistakes);
  }

  // A claim may be there and null.
  private long end(long nowMillis) {
    Date expires = claims.getExpirationTime();
    if (expires == null || expires.getTime() <= nowMillis - rule.valid().clockSkewMillis()) {
      mistakes.add("exp: %s (expected: a moment to come, in seconds since 1970)"
          .formatted(expires == null ? "nothing" : "over"));
      return 0;
    }
    long latest = Long.MAX_VALUE - rule.valid().clockSkewMillis();
    return Math.min(expires.getTime(), latest) + rule.valid().clockSkewMillis();
  }

  private void checkBegin(long nowMillis) {
    Date begins = claims.getNotBeforeTime();
    if (begins != null && begins.getTime() > nowMillis + rule.valid().clockSkewMillis()) {
      mistakes.add("nbf: to come (expected: a moment that has passed)");
    }
  }

  private void checkAudience() {
    if (!claims.getAudience().contains(rule.valid().audience())) {
      mistakes.add("aud: (expected: the audience of the policy, or a list with it)");
    }
  }

  private String subject() {
    int before = mistakes.size();
    String name = text(rule.claims().subject()).orElse("");
    String prefix = rule.assigned().prefix();
    if (mistakes.size() == before && (name.isEmpty() || !Names.isSubject(prefix + name))) {
      mistakes.add("%s: %s (expected: 1 to %d visible ASCII characters)"
          .formatted(
              rule.claims().subject(),
              name.isEmpty() ? "nothing" : "another form",
              Names.MAX_SUBJECT - prefix.length()));
    }
    return name;
  }

  private Optional<String> tenant() {
    Optional<String> tenant = rule.claims().tenant().flatMap(this::text);
    if (tenant.filter(name -> !Names.isId(name)).isPresent()) {
      mistakes.add("%s: another form (expected: %s)"
          .formatted(rule.claims().tenant().orElseThrow(), Names.ID_PATTERN));
    }
    return tenant;
  }

  // Some issuers write the number of a customer, or a list of those that somebody works for.
  private Optional<String> text(String claim) {
    Object value = claims.getClaim(claim);
    Object only = value instanceof Collection<?> list && list.size() == 1
        ? list.iterator().next()
        : value;
    if (only instanceof String || only instanceof Long || only instanceof Integer) {
      return Optional.of(only.toString());
    }
    if (value != null) {
      mistakes.add(TEXT.formatted(claim));
    }
    return Optional.empty();
  }
}
