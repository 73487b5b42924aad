package io.weir.keys.identity;

import io.weir.core.policy.OperationRule;
import io.weir.core.policy.PartKey;
import io.weir.core.policy.Policy;
import io.weir.node.auth.Networks;
import io.weir.node.intake.HeaderNames;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The sources of the identity of callers. Immutable.
 *
 * @param jwt the issuers of tokens, by the name of the claim {@code iss}
 */
public record IdentityRule(
    ApiKeys apiKey,
    Map<String, Jwt> jwt,
    Optional<Header> header,
    Optional<Assigned> certificate,
    Optional<Anonymous> anonymous,
    TrustedProxies trustedProxies) {
  /**
   * The proxies whose word about the address of a caller counts.
   *
   * @param addressHeader the header in which they say it
   */
  record TrustedProxies(Networks networks, String addressHeader) {}

  /** The part of policies. */
  public static final PartKey<IdentityRule> PART = new PartKey<>("identity", IdentityRule.class);

  /** The part of operations: the only sources that are valid. */
  static final PartKey<Sources> OF_OPERATION = new PartKey<>("identityOfOperation", Sources.class);

  /** API keys as without a section. */
  static final IdentityRule USUAL = new IdentityRule(
      new ApiKeys(List.of("X-Api-Key"), true, false, Optional.empty()),
      Map.of(),
      Optional.empty(),
      Optional.empty(),
      Optional.empty(),
      new IdentityRule.TrustedProxies(Networks.NONE, "X-Forwarded-For"));

  public IdentityRule {
    jwt = Map.copyOf(jwt);
  }

  /** Some sources. */
  record Sources(Set<Source> all) {
    static final Sources ALL = new Sources(Set.of(Source.values()));

    Sources {
      all = Set.copyOf(all);
    }
  }

  static IdentityRule of(Policy policy) {
    return policy.parts().get(PART).orElse(USUAL);
  }

  /** Whether a caller may be of this tenant by a source other than a key: by its settings, or since tokens state any. */
  public static boolean mayName(Policy policy, String tenant) {
    IdentityRule rule = of(policy);
    Stream<Assigned> assigned = Stream.of(
            rule.jwt().values().stream().map(Jwt::assigned),
            rule.header().map(Header::assigned).stream(),
            rule.certificate().stream(),
            rule.anonymous().map(Anonymous::assigned).stream())
        .flatMap(one -> one);
    return rule.jwt().values().stream().anyMatch(jwt -> jwt.claims().tenant().isPresent())
        || assigned.anyMatch(one -> one.tenant().filter(tenant::equals).isPresent());
  }

  /** Whether a header identifies callers, besides {@code Authorization}. */
  boolean identifiesBy(String name) {
    for (String own : apiKey.headers()) {
      if (HeaderNames.isSame(name, own)) {
        return true;
      }
    }
    return header.isPresent() && HeaderNames.isSame(name, header.get().name());
  }

  static Set<Source> sources(Optional<OperationRule> operation) {
    return operation
        .flatMap(rule -> rule.parts().get(OF_OPERATION))
        .orElse(Sources.ALL)
        .all();
  }

  /**
   * The places of an API key.
   *
   * @param headers each with nothing but the key
   * @param bearer whether {@code Authorization: Bearer} is one (RFC 6750)
   * @param basic whether the password of {@code Authorization: Basic} is one (RFC 7617), or with a user name, {@code
   *     <user>.<password>}
   * @param query the name of a query parameter
   */
  record ApiKeys(List<String> headers, boolean bearer, boolean basic, Optional<String> query) {
    ApiKeys {
      headers = List.copyOf(headers);
    }
  }

  /**
   * The tenant and the plan of subjects from elsewhere. Without a tenant, a rule of the policy has to cover the name.
   *
   * @param prefix of the names, so that they are of no API key
   */
  record Assigned(String prefix, Optional<String> tenant, Optional<String> plan) {}

  /**
   * The tokens of an issuer.
   *
   * @param issuer the claim {@code iss} (RFC 7519, section 4.1.1)
   * @param valid the conditions of a valid one
   * @param claims the claims that are read
   */
  record Jwt(String issuer, Valid valid, Claims claims, Assigned assigned) {
    /**
     * The conditions of a valid token.
     *
     * @param audience one of the claim {@code aud}
     * @param keys the address of the JWKS, http, https or a file
     * @param algorithms asymmetric ones
     * @param clockSkewMillis how much the clock of the issuer may differ
     */
    record Valid(String audience, URI keys, Set<String> algorithms, long clockSkewMillis) {
      Valid {
        algorithms = Set.copyOf(algorithms);
      }
    }

    /** The names of the claims with the name of the caller, its tenant and its plan. */
    record Claims(String subject, Optional<String> tenant, Optional<String> plan) {}
  }

  /**
   * A header of a proxy in front, which has found out who the caller is.
   *
   * @param from the networks of the proxy: nobody else may send the header
   */
  record Header(String name, Networks from, Assigned assigned) {}

  /**
   * Callers without any credential, each network of this length one subject.
   *
   * @param ipv4Bits the length of a network of IPv4
   */
  record Anonymous(int ipv4Bits, int ipv6Bits, Assigned assigned) {}
}
