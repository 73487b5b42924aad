package io.weir.keys.identity;

import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicySection;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import io.weir.keys.identity.IdentityRule.Anonymous;
import io.weir.keys.identity.IdentityRule.ApiKeys;
import io.weir.keys.identity.IdentityRule.Assigned;
import io.weir.keys.identity.IdentityRule.Header;
import io.weir.keys.identity.IdentityRule.Jwt;
import io.weir.node.auth.Networks;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads where the identity of callers comes from. */
public final class IdentitySection extends PolicySection<IdentityRule> {
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}");
  private static final Pattern VISIBLE = Pattern.compile("[!-~]{1,256}");
  private static final Pattern PREFIX = Pattern.compile("[!-~]{1,40}");
  private static final Pattern ALGORITHM = Pattern.compile("(RS|PS|ES)(256|384|512)");
  private static final String HEADER_NAME = "the name of a header";

  private static final Field<List<Section.Item>> HEADERS =
      Field.texts("headers", TOKEN, HEADER_NAME, "headers that hold a key; default: `X-Api-Key`");
  private static final Field<Boolean> BEARER =
      Field.flag("bearer", "whether `Authorization: Bearer` holds a key").or(true);
  private static final Field<Boolean> BASIC = Field.flag(
      "basic",
      "whether `Authorization: Basic` holds a key: as the password alone, or as `id:secret`");
  private static final Field<String> QUERY = Field.text(
      "query",
      TOKEN,
      "the name of a query parameter",
      "a query parameter that holds a key. Queries end up in many logs: better not");
  private static final Field<Section> API_KEY = Field.section(
      "apiKey", Table.of("apiKey", HEADERS, BEARER, BASIC, QUERY), "where API keys are looked for");

  private static final Field<String> TENANT =
      Field.id("tenant", "their tenant; without it, a rule of `subjects` has to cover the name");
  private static final Field<String> PLAN =
      Field.name("plan", "their plan; default: as of a subject without one");
  private static final Field<String> NAME_PREFIX = Field.text(
      "prefix", PREFIX, "1 to 40 visible characters", "before each name, so that it is of no key");

  private static final Field<String> ISSUER =
      Field.text("issuer", VISIBLE, "a text", "the claim `iss`").required();
  private static final Field<String> AUDIENCE =
      Field.text("audience", VISIBLE, "a text", "one of the claim `aud`").required();
  private static final Field<URI> JWKS = Field.parsed(
          "jwks",
          KeyReading::address,
          KeyReading.ADDRESS,
          "an address, https:// or file:/",
          "the keys of the issuer, at this address alone (no redirect is followed) and within 4 s; read again when a token names one that is not known, at most every 30 s")
      .required();
  private static final Field<List<Section.Item>> ALGORITHMS = Field.texts(
      "algorithms",
      ALGORITHM,
      "RS256 to RS512, PS256 to PS512 or ES256 to ES512",
      "the accepted signatures; default: RS256 and ES256. Never `none`, nor one with a shared secret");
  private static final Field<Long> CLOCK_SKEW = Field.duration(
          "clockSkew",
          Duration.ZERO,
          Duration.ofMinutes(5),
          "how much the issuer's clock may differ from Redis's")
      .or(30_000L);
  private static final Field<String> SUBJECT = Field.text(
          "subject",
          VISIBLE,
          "a text",
          "the claim with the name of the subject: a text, a whole number, or a list with one of them")
      .or("sub");
  private static final Field<String> TENANT_CLAIM = Field.text(
      "tenantClaim", VISIBLE, "a text", "the claim with the tenant, as that of the subject");
  private static final Field<String> PLAN_CLAIM =
      Field.text("planClaim", VISIBLE, "a text", "the claim with the plan, as that of the subject");
  private static final Field<Map<String, Section>> JWT = Field.byId(
          "jwt",
          Table.of(
              "jwt",
              ISSUER,
              AUDIENCE,
              JWKS,
              ALGORITHMS,
              CLOCK_SKEW,
              SUBJECT,
              TENANT_CLAIM,
              PLAN_CLAIM,
              TENANT,
              PLAN,
              NAME_PREFIX),
          "issuers of JSON Web Tokens, by names of yours; the prefix of their subjects is by default that name and a colon")
      .atMost(20, "too_many_issuers");

  private static final Field<String> HEADER_FIELD =
      Field.text("name", TOKEN, HEADER_NAME, "the header").required();
  private static final Field<List<Section.Item>> FROM = Field.texts(
          "from",
          Networks.FORM,
          Networks.EXPECTED,
          "the networks of the proxy; requests from elsewhere with the header are refused")
      .required();
  private static final Field<Section> HEADER = Field.section(
      "header",
      Table.of("identityHeader", HEADER_FIELD, FROM, TENANT, PLAN, NAME_PREFIX),
      "a header by which a trusted proxy names the subject; the prefix is by default `user:`");

  private static final Field<Section> CERTIFICATE = Field.section(
      "clientCertificate",
      Table.of("clientCertificate", TENANT, PLAN, NAME_PREFIX),
      "the common name of a verified certificate of the caller (`--tls-client-ca`); the prefix is by default `cert:`");

  private static final Field<Long> IPV4 = Field.number(
          "ipv4Bits", 8, 32, "the length of a network of IPv4 that is one subject")
      .or(32L);
  private static final Field<Long> IPV6 = Field.number(
          "ipv6Bits",
          16,
          128,
          "the same of IPv6; an address of a NAT64 (`64:ff9b::/96`) counts as the one of IPv4 in it")
      .or(64L);
  private static final Field<Section> ANONYMOUS = Field.section(
      "anonymous",
      Table.of("anonymous", TENANT, PLAN, NAME_PREFIX, IPV4, IPV6),
      "callers without any credential, by their address; the prefix is by default `ip:`");

  private static final Field<List<Section.Item>> PROXIES = Field.texts(
      "proxies",
      Networks.FORM,
      Networks.EXPECTED,
      "networks of proxies in front, which are trusted to state a caller's address, and may use `/v1/authorize`");
  private static final Field<String> ADDRESS_HEADER = Field.text(
          "addressHeader",
          Pattern.compile("X-Forwarded-For|Forwarded"),
          "X-Forwarded-For or Forwarded",
          "the header in which they state it; only this one is read, from the right")
      .or("X-Forwarded-For");
  private static final Field<Section> IDENTITY = Field.section(
      "identity",
      Table.of("identity", API_KEY, JWT, HEADER, CERTIFICATE, ANONYMOUS, PROXIES, ADDRESS_HEADER),
      "[who asks](#identity): where the gateway and batches look for the identity of a caller; default: API keys");

  public IdentitySection() {
    super(Parent.POLICY, IdentityRule.PART, IDENTITY);
  }

  @Override
  public Optional<IdentityRule> read(Section root) {
    return root.find(IDENTITY)
        .map(section -> new IdentityRule(
            section.find(API_KEY).map(IdentitySection::apiKeys).orElse(IdentityRule.USUAL.apiKey()),
            issuers(section),
            section.find(HEADER).flatMap(IdentitySection::header),
            section.find(CERTIFICATE).map(one -> assigned(one, "cert:")),
            section
                .find(ANONYMOUS)
                .map(one -> new Anonymous(one.count(IPV4), one.count(IPV6), assigned(one, "ip:"))),
            new IdentityRule.TrustedProxies(
                networks(section, section.get(PROXIES)), section.get(ADDRESS_HEADER))));
  }

  private static ApiKeys apiKeys(Section section) {
    return new ApiKeys(
        section.has("headers") ? texts(section.get(HEADERS)) : List.of("X-Api-Key"),
        section.get(BEARER),
        section.get(BASIC),
        section.find(QUERY));
  }

  private static Map<String, Jwt> issuers(Section section) {
    Map<String, Jwt> issuers = new LinkedHashMap<>();
    section.get(JWT).forEach((name, one) -> {
      Optional<String> issuer = one.find(ISSUER);
      Optional<String> audience = one.find(AUDIENCE);
      Optional<URI> keys = one.find(JWKS);
      List<String> algorithms =
          one.has("algorithms") ? texts(one.get(ALGORITHMS)) : List.of("RS256", "ES256");
      Optional<Jwt> jwt = issuer.flatMap(iss -> audience.flatMap(aud -> keys.map(at -> new Jwt(
          iss,
          new Jwt.Valid(aud, at, Set.copyOf(algorithms), one.get(CLOCK_SKEW)),
          new Jwt.Claims(one.get(SUBJECT), one.find(TENANT_CLAIM), one.find(PLAN_CLAIM)),
          assigned(one, name + ":")))));
      jwt.ifPresent(made -> {
        if (issuers.put(made.issuer(), made) != null) {
          one.error("issuer_repeated", "issuer", "of another entry, too (expected: once)");
        }
      });
    });
    return issuers;
  }

  private static Optional<Header> header(Section section) {
    return section
        .find(HEADER_FIELD)
        .map(name ->
            new Header(name, networks(section, section.get(FROM)), assigned(section, "user:")));
  }

  private static Assigned assigned(Section section, String prefix) {
    return new Assigned(
        section.find(NAME_PREFIX).orElse(prefix), section.find(TENANT), section.find(PLAN));
  }

  private static Networks networks(Section section, List<Section.Item> items) {
    items.stream()
        .filter(item -> !Networks.isNetwork(item.text()))
        .forEach(item -> section.errorAt(
            "network_invalid",
            item,
            "'%s' (expected: %s)".formatted(item.text(), Networks.EXPECTED)));
    return Networks.of(texts(items).stream().filter(Networks::isNetwork).toList());
  }

  private static List<String> texts(List<Section.Item> items) {
    return items.stream().map(Section.Item::text).toList();
  }

  @Override
  public void check(Section root, Policy policy) {
    policy
        .parts()
        .get(IdentityRule.PART)
        .ifPresent(rule -> IdentityChecks.check(root, policy, rule));
  }
}
