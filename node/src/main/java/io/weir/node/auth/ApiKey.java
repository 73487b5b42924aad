package io.weir.node.auth;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.weir.core.bucket.Names;
import java.util.Optional;

/**
 * An API key as callers send it: {@code <id>.<secret>}. The id may be logged; the secret leaves this object only to be
 * compared.
 */
public final class ApiKey {
  /** The header that carries a key; it takes precedence over {@code Authorization}. */
  public static final String HEADER = "X-Api-Key";

  private static final String BEARER = "Bearer ";
  private static final int MAX_LENGTH = 512;

  private final String id;
  private final String secret;

  private ApiKey(String id, String secret) {
    this.id = id;
    this.secret = secret;
  }

  /** Parses a key; empty if the text is malformed. */
  public static Optional<ApiKey> parse(String text) {
    int dot = text.indexOf('.');
    if (dot <= 0 || dot == text.length() - 1 || text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String id = text.substring(0, dot);
    return Names.isId(id) ? Optional.of(new ApiKey(id, text.substring(dot + 1))) : Optional.empty();
  }

  /** The key text of a request, not yet validated; empty if it has none. */
  public static Optional<String> shownIn(MultiMap headers) {
    String own = headers.get(HEADER);
    return own != null ? Optional.of(own) : bearer(headers);
  }

  /** Removes the key that {@link #shownIn} finds. */
  static void removeFrom(MultiMap headers) {
    headers.remove(headers.contains(HEADER) ? HEADER : HttpHeaders.AUTHORIZATION.toString());
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

  /** The public part. */
  public String id() {
    return id;
  }

  String secret() {
    return secret;
  }

  @Override
  public String toString() {
    return id;
  }
}
