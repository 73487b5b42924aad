package io.weir.keys.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.keys.identity.IdentityRule.ApiKeys;
import io.weir.node.auth.ApiKey;
import java.net.URLDecoder;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.stream.Collectors;

/** Finds the API key that a request shows, not validated; from headers it is removed. */
final class ShownKey {
  private static final String BASIC = "Basic ";

  private ShownKey() {}

  static Optional<String> in(HttpServerRequest request, ApiKeys rule) {
    for (String header : rule.headers()) {
      String shown = request.getHeader(header);
      if (shown != null) {
        request.headers().remove(header);
        return Optional.of(shown);
      }
    }
    Optional<String> authorized = Optional.of(rule)
        .filter(ApiKeys::bearer)
        .flatMap(of -> ApiKey.bearer(request.headers()))
        .or(() -> rule.basic() ? basic(request) : Optional.empty());
    if (authorized.isPresent()) {
      request.headers().remove(HttpHeaders.AUTHORIZATION);
      return authorized;
    }
    return rule.query().flatMap(name -> Optional.ofNullable(request.getParam(name)));
  }

  /** A target without the parameter with the key. */
  static String without(String parameter, String target) {
    int begin = target.indexOf('?');
    if (begin < 0) {
      return target;
    }
    String kept = Arrays.stream(target.substring(begin + 1).split("&", -1))
        .filter(one -> !isNamed(parameter, one))
        .collect(Collectors.joining("&"));
    return target.substring(0, begin) + (kept.isEmpty() ? "" : "?" + kept);
  }

  // An escaped name is the same name.
  private static boolean isNamed(String parameter, String text) {
    String name = text.split("=", 2)[0];
    try {
      return URLDecoder.decode(name, UTF_8).equals(parameter);
    } catch (IllegalArgumentException e) {
      return name.equals(parameter);
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
      return Optional.of(""); // shown, and not valid
    }
  }
}
