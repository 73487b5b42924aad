package io.weir.keys.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.keys.identity.IdentityRule.ApiKeys;
import io.weir.node.auth.ApiKey;
import java.util.Base64;
import java.util.Optional;

/** Finds the API key that a request shows, not validated. */
final class ShownKey {
  private static final String BASIC = "Basic ";

  private ShownKey() {}

  static Optional<String> in(HttpServerRequest request, ApiKeys rule) {
    for (String header : rule.headers()) {
      String shown = request.getHeader(header);
      if (shown != null) {
        return Optional.of(shown);
      }
    }
    return Optional.of(rule)
        .filter(ApiKeys::bearer)
        .flatMap(of -> ApiKey.bearer(request.headers()))
        .or(() -> rule.basic() ? basic(request) : Optional.empty())
        .or(() -> rule.query().flatMap(name -> Optional.ofNullable(request.getParam(name))));
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
