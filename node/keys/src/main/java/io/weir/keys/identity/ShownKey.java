package io.weir.keys.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.keys.identity.IdentityRule.ApiKeys;
import io.weir.node.auth.KeyHeaders;
import java.net.URLDecoder;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the API key that a request shows, not validated. */
final class ShownKey {
  private static final String BASIC = "Basic ";
  /** Shown, and not valid. */
  private static final String BROKEN = "";

  private ShownKey() {}

  /** The key in a header of its own. */
  static Optional<String> inHeaders(HttpServerRequest request, ApiKeys rule) {
    for (String header : rule.headers()) {
      String key = request.getHeader(header);
      if (key != null) {
        return Optional.of(key);
      }
    }
    return Optional.empty();
  }

  /** The key in {@code Authorization}, which is removed, or in the query. */
  static Optional<String> elsewhere(HttpServerRequest request, ApiKeys rule) {
    Optional<String> authorized = Optional.of(rule)
        .filter(ApiKeys::bearer)
        .flatMap(of -> KeyHeaders.bearer(request.headers()))
        .or(() -> rule.basic() ? basic(request) : Optional.empty());
    if (authorized.isPresent()) {
      request.headers().remove(HttpHeaders.AUTHORIZATION);
      return authorized;
    }
    return rule.query()
        .flatMap(name -> parameters(request.uri())
            .filter(one -> isNamed(name, one))
            .findFirst()
            .map(one -> decoded(one.substring(one.indexOf('=') + 1))));
  }

  /** A target without the parameter with the key, as {@link #elsewhere} finds it. */
  static String without(String parameter, String target) {
    int begin = target.indexOf('?');
    if (begin < 0) {
      return target;
    }
    String kept =
        parameters(target).filter(one -> !isNamed(parameter, one)).collect(Collectors.joining("&"));
    return target.substring(0, begin) + (kept.isEmpty() ? "" : "?" + kept);
  }

  private static Stream<String> parameters(String target) {
    int begin = target.indexOf('?');
    return begin < 0
        ? Stream.empty()
        : Arrays.stream(target.substring(begin + 1).split("&", -1));
  }

  // An escaped name is the same name.
  private static boolean isNamed(String parameter, String text) {
    return decoded(text.split("=", 2)[0]).equals(parameter);
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, UTF_8);
    } catch (IllegalArgumentException e) {
      return BROKEN;
    }
  }

  // As other gateways have it: the key as password, or as user name with an empty password.
  private static Optional<String> basic(HttpServerRequest request) {
    String header = request.getHeader(HttpHeaders.AUTHORIZATION);
    if (header == null || !header.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
      return Optional.empty();
    }
    try {
      byte[] decoded =
          Base64.getDecoder().decode(header.substring(BASIC.length()).strip());
      String text = new String(decoded, UTF_8);
      int colon = text.indexOf(':');
      if (colon < 0) {
        return Optional.of(text);
      }
      String user = text.substring(0, colon);
      String password = text.substring(colon + 1);
      if (password.isEmpty()) {
        return Optional.of(user);
      }
      return Optional.of(user.isEmpty() ? password : user + "." + password);
    } catch (IllegalArgumentException e) {
      return Optional.of(BROKEN);
    }
  }
}
