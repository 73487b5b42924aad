package io.weir.keys.identity;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.keys.directory.KnownKeys;
import io.weir.keys.identity.IdentityRule.Anonymous;
import io.weir.keys.identity.IdentityRule.Assigned;
import io.weir.keys.identity.IdentityRule.Header;
import io.weir.keys.identity.WebTokens.Verdict;
import io.weir.keys.identity.WebTokens.Verified;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Addresses;
import io.weir.node.auth.Identities;
import io.weir.node.auth.KeyHeaders;
import io.weir.node.auth.KeyLookup;
import io.weir.node.auth.Networks;
import io.weir.node.auth.Operator;
import io.weir.node.upstream.ForwardedHeaders;
import io.weir.state.policy.NodeQuestions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds out who a caller is: by the first source, of those that count for the operation, of which the request shows
 * something. A credential that is shown and not valid is refused; nobody becomes anonymous by it. Safe for use by many
 * threads.
 */
public final class Identifier implements io.weir.node.auth.Identifier {
  private static final ProblemDetails UNTRUSTED = ProblemDetails.of(
      401, "identity_untrusted", "Only trusted proxies may send the header that names the caller");

  private final KeyLookup keys;
  private final KnownKeys known;
  private final WebTokens tokens;
  private final NamedSubjects subjects;

  Identifier(KeyLookup keys, KnownKeys known, WebTokens tokens, NamedSubjects subjects) {
    this.keys = keys;
    this.known = known;
    this.tokens = tokens;
    this.subjects = subjects;
  }

  /**
   * An identifier for a node.
   *
   * @param nodes which know the subjects of their requests
   */
  public static Identifier of(Vertx vertx, KeyLookup keys, KnownKeys known, NodeQuestions nodes) {
    WebTokens tokens = new WebTokens(vertx, () -> known.nowMillis("any"), System::nanoTime);
    NamedSubjects subjects = new NamedSubjects(known, new RecentSubjects(vertx, nodes));
    return new Identifier(keys, known, tokens, subjects);
  }

  @Override
  public Future<Subject> identify(HttpServerRequest request, Optional<OperationRule> operation) {
    Policy policy = keys.policy();
    IdentityRule rule = IdentityRule.of(policy);
    Set<Source> sources = IdentityRule.sources(operation);
    boolean hasKeys = sources.contains(Source.API_KEY);
    requireTrusted(request, rule);
    Optional<String> key = hasKeys ? ShownKey.inHeaders(request, rule.apiKey()) : Optional.empty();
    Optional<String> token = key.isEmpty() && takesTokens(rule, sources)
        ? webToken(request, hasKeys && rule.apiKey().bearer())
        : Optional.empty();
    Optional<String> shown = key.isEmpty() && token.isEmpty() && hasKeys
        ? ShownKey.elsewhere(request, rule.apiKey())
        : key;
    Optional<String> address = address(request);
    Optional<Named> other = shown.isEmpty() && token.isEmpty()
        ? others(request, rule, sources, address)
        : Optional.empty();
    removeFrom(request.headers());
    if (shown.isPresent()) {
      return keys.ofKey(shown.get(), address)
          .map(subject -> subject.orElseThrow(Identities::invalid));
    }
    return token.isPresent()
        ? ofToken(token.get(), rule, address)
        : other.map(named -> subjects.find(named, policy)).orElseThrow(Identities::missing);
  }

  @Override
  public Future<Optional<Subject>> recent(String name, Operator operator) {
    return subjects.recent(name, operator, keys.policy());
  }

  @Override
  public void removeFrom(MultiMap headers) {
    IdentityRule rule = IdentityRule.of(keys.policy());
    List<String> found = new ArrayList<>(1);
    for (Map.Entry<String, String> header : headers) {
      if (rule.identifiesBy(header.getKey())) {
        found.add(header.getKey());
      }
    }
    found.forEach(headers::remove);
  }

  @Override
  public boolean isAccepted(Subject subject, Optional<OperationRule> operation) {
    Source source =
        subject.source() instanceof External external ? external.from() : Source.API_KEY;
    return IdentityRule.sources(operation).contains(source);
  }

  @Override
  public String target(HttpServerRequest request) {
    return IdentityRule.of(keys.policy())
        .apiKey()
        .query()
        .map(name -> ShownKey.without(name, request.uri()))
        .orElseGet(request::uri);
  }

  @Override
  public boolean isProxy(HttpServerRequest request) {
    Networks proxies = IdentityRule.of(keys.policy()).trustedProxies().networks();
    return Addresses.peer(request).filter(proxies::contains).isPresent();
  }

  @Override
  public Optional<String> address(HttpServerRequest request) {
    IdentityRule rule = IdentityRule.of(keys.policy());
    return Addresses.caller(
        request, rule.trustedProxies().networks(), rule.trustedProxies().addressHeader());
  }

  // Also under a name that some servers read as the same one.
  private static void requireTrusted(HttpServerRequest request, IdentityRule rule) {
    rule.header().ifPresent(header -> {
      boolean isTrusted =
          Addresses.peer(request).filter(header.from()::contains).isPresent();
      String plain = ForwardedHeaders.plain(header.name());
      boolean isSpoofed = request.headers().names().stream()
          .filter(name -> ForwardedHeaders.plain(name).equals(plain))
          .anyMatch(name -> !isTrusted || !name.equalsIgnoreCase(header.name()));
      if (isSpoofed) {
        throw new RefusedException(UNTRUSTED);
      }
    });
  }

  private static boolean takesTokens(IdentityRule rule, Set<Source> sources) {
    return sources.contains(Source.JWT) && !rule.jwt().isEmpty();
  }

  // Whatever is sent as a bearer token is one, unless it may be a key.
  private static Optional<String> webToken(HttpServerRequest request, boolean mayBeKey) {
    return KeyHeaders.bearer(request.headers()).filter(text -> !mayBeKey || WebTokens.isOne(text));
  }

  private Future<Subject> ofToken(String token, IdentityRule rule, Optional<String> address) {
    if (!WebTokens.isOne(token)) {
      throw WebTokens.invalid();
    }
    if (known.nowMillis("any") == 0) {
      throw new RefusedException(ProblemDetails.unavailable()); // no clock says what has expired
    }
    return tokens
        .remembered(token, rule)
        .map(Future::succeededFuture)
        .orElseGet(() -> known
            .strangers()
            .charged(address, () -> tokens.verify(token, rule), Verdict::isValid)
            .map(Verdict::orThrow))
        .compose(verified -> subjects.find(named(verified), keys.policy()));
  }

  private static Named named(Verified token) {
    Assigned assigned = token.jwt().assigned();
    Named own = Named.of(Source.JWT, assigned, token.subject());
    return new Named(
        Source.JWT,
        own.name(),
        token.tenant().or(assigned::tenant),
        token.plan().or(assigned::plan));
  }

  private static Optional<Named> others(
      HttpServerRequest request, IdentityRule rule, Set<Source> sources, Optional<String> address) {
    Optional<Named> ofHeader = rule.header()
        .filter(header -> sources.contains(Source.HEADER))
        .flatMap(header ->
            value(request, header).map(value -> Named.of(Source.HEADER, header.assigned(), value)));
    return ofHeader
        .or(() -> rule.certificate()
            .filter(assigned -> sources.contains(Source.CERTIFICATE))
            .flatMap(assigned -> Certificates.commonName(request)
                .map(name -> Named.of(Source.CERTIFICATE, assigned, name))))
        .or(() -> anonymous(request, rule, sources, address));
  }

  private static Optional<Named> anonymous(
      HttpServerRequest request, IdentityRule rule, Set<Source> sources, Optional<String> address) {
    Optional<Anonymous> anonymous =
        rule.anonymous().filter(it -> sources.contains(Source.ANONYMOUS));
    requireUnderstood(request, rule, sources, anonymous.isPresent());
    return anonymous.flatMap(it -> address.map(text -> Named.of(
        Source.ANONYMOUS, it.assigned(), Addresses.network(text, it.ipv4Bits(), it.ipv6Bits()))));
  }

  // A credential of another form is invalid if keys or tokens are looked for.
  private static void requireUnderstood(
      HttpServerRequest request, IdentityRule rule, Set<Source> sources, boolean isAnonymous) {
    if (!request.headers().contains(HttpHeaders.AUTHORIZATION)) {
      return;
    }
    if (takesTokens(rule, sources)) {
      throw WebTokens.invalid();
    }
    boolean takesKeys = rule.apiKey().bearer() || rule.apiKey().basic();
    if (isAnonymous && takesKeys && sources.contains(Source.API_KEY)) {
      throw Identities.invalid();
    }
  }

  private static Optional<String> value(HttpServerRequest request, Header header) {
    List<String> values = request.headers().getAll(header.name());
    if (values.size() > 1) {
      throw new RefusedException(UNTRUSTED); // the proxy has added its own to the caller's
    }
    return values.stream().findFirst();
  }
}
