package io.weir.node.auth;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.Optional;

/** The headers of a request that carry keys and tokens. */
public final class KeyHeaders {
  /** The header that carries a key; it takes precedence over {@code Authorization}. */
  public static final String HEADER = "X-Api-Key";

  private static final String BEARER = "Bearer ";

  private KeyHeaders() {}

  /** The key text of a request, not yet validated; empty if it has none. */
  public static Optional<String> shownIn(MultiMap headers) {
    String own = headers.get(HEADER);
    return own != null ? Optional.of(own) : bearer(headers);
  }

  /** Removes the key that {@link #shownIn} finds. */
  static void removeFrom(MultiMap headers) {
    headers.remove(headers.contains(HEADER) ? HEADER : HttpHeaders.AUTHORIZATION.toString());
  }

  /** Sets the bearer token of a request. */
  static void setBearer(MultiMap headers, String token) {
    headers.set(HttpHeaders.AUTHORIZATION, BEARER + token);
  }

  /** The bearer token of a request (RFC 6750, section 2.1). */
  public static Optional<String> bearer(MultiMap headers) {
    String authorization = headers.get(HttpHeaders.AUTHORIZATION);
    boolean bearer =
        authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length());
    return bearer
        ? Optional.of(authorization.substring(BEARER.length()).strip())
        : Optional.empty();
  }
}
