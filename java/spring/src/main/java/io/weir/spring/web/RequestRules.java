package io.weir.spring.web;

import io.weir.core.answer.Problem;
import io.weir.core.bucket.Names;
import io.weir.core.policy.Authenticator;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.OperationRule.Route;
import io.weir.core.policy.PathPattern;
import io.weir.core.policy.Policy;
import io.weir.core.policy.RequestTarget;
import io.weir.core.policy.Subject;
import io.weir.library.Weir;
import io.weir.spring.WeirProperties;
import io.weir.spring.WeirProperties.From;
import io.weir.spring.WeirProperties.Operation;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which operation a request is, and by what its caller is known; the same for servlets and for WebFlux. */
public final class RequestRules {
  private static final Problem NO_LIMITS =
      Problem.of(403, "subject_unknown", "The caller has no limits in the policy");
  private static final Problem NO_NAME = Problem.of(
      403,
      "subject_invalid",
      "The name of this caller cannot be used (expected: 1 to %d visible ASCII characters)"
          .formatted(Names.MAX_SUBJECT));
  static final Problem PATH_AMBIGUOUS =
      Problem.of(400, "path_ambiguous", "The path can be read in more than one way");

  private static final String BEARER = "Bearer ";
  private static final Pattern DOTS = Pattern.compile("/\\.{1,2}(/|;|$)");

  private final Weir weir;
  private final WeirProperties.Key key;
  private final List<Rule> rules;

  private record Rule(Route route, String operation) {
    static Rule of(Operation operation) {
      Set<String> methods = operation.methods().stream()
          .map(method -> method.toUpperCase(Locale.ROOT))
          .collect(Collectors.toSet());
      PathPattern path = PathPattern.parse(operation.path()).orElseThrow();
      return new Rule(new Route(methods, path, true), operation.name());
    }
  }

  /** Rules as they are configured. */
  public RequestRules(Weir weir, WeirProperties.Web web) {
    this.weir = weir;
    this.key = web.key();
    this.rules = web.operations().stream().map(Rule::of).toList();
  }

  Weir weir() {
    return weir;
  }

  /** The place of the caller's key. */
  From from() {
    return key.from();
  }

  /** The name of the header or claim with the key. */
  String name() {
    return key.name();
  }

  /** The key in headers: in the one of that name, or as a bearer token (RFC 6750), as the gateway finds it. */
  Optional<String> keyIn(UnaryOperator<@Nullable String> header) {
    return Optional.ofNullable(header.apply(key.name()))
        .or(() -> Optional.ofNullable(header.apply("Authorization"))
            .filter(text -> text.regionMatches(true, 0, BEARER, 0, BEARER.length()))
            .map(text -> text.substring(BEARER.length()).strip()));
  }

  /** The decoded segments of a raw path; empty if it is ambiguous. */
  Optional<List<String>> segments(String rawPath) {
    return RequestTarget.segments(rawPath);
  }

  /** The operation of a request; empty if it is not limited. */
  Optional<String> operation(String method, List<String> segments) {
    return rules.isEmpty()
        ? weir.policy().policy().rule(method, segments).map(OperationRule::name)
        : Route.first(rules, rule -> Optional.of(rule.route()), method, segments)
            .map(Rule::operation);
  }

  /** Whether a path that can be read in more than one way may be that of an operation. */
  boolean mayConcern(String rawPath) {
    // Behind such a segment any path may be meant.
    if (DOTS.matcher(rawPath.toLowerCase(Locale.ROOT).replace("%2e", ".").replace("%2f", "/"))
        .find()) {
      return true;
    }
    String begin = rawPath.replaceAll("[;%\\\\].*", "").replaceAll("/+", "/");
    List<String> segments = PathPattern.segments(begin);
    return rules.isEmpty()
        ? weir.policy().policy().routing().rules().stream()
            .flatMap(rule -> rule.route().stream())
            .anyMatch(route -> route.path().mayBegin(segments))
        : rules.stream().anyMatch(rule -> rule.route().path().mayBegin(segments));
  }

  /** The refusal of a caller without limits. */
  Problem unknown(Optional<String> shown) {
    if (shown.isEmpty()) {
      return missing();
    }
    if (key.from() == From.HEADER) {
      return Problem.keyInvalid();
    }
    return Names.isSubject(shown.get()) ? NO_LIMITS : NO_NAME;
  }

  private Problem missing() {
    String words = switch (key.from()) {
      case HEADER -> "No API key: send %s, or Authorization: Bearer".formatted(key.name());
      case PRINCIPAL -> "The request has no authenticated user";
      case CLAIM -> "The request has no token with the claim %s".formatted(key.name());
      case ADDRESS -> "The address of the caller is not known";
    };
    return Problem.of(401, "key_missing", words);
  }

  /** The subject of a caller that shows this; empty if it has none. */
  Optional<String> subject(String shown) {
    Policy policy = weir.policy().policy();
    return key.from() == From.HEADER
        ? Authenticator.authenticate(shown, policy).map(Subject::id)
        : Optional.of(shown)
            .filter(Names::isSubject)
            .filter(name -> policy.subject(name).isPresent());
  }
}
