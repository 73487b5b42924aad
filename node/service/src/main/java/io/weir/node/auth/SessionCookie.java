package io.weir.node.auth;

import io.vertx.core.MultiMap;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The cookie with the secret of a session. Scripts cannot read it, and browsers send it to their own site alone. */
final class SessionCookie {
  private static final String NAME = "weir-session";
  private static final String PATH = "/v1";

  private SessionCookie() {}

  /** The secret that a request shows, if it shows one. */
  static Optional<SessionSecret> shown(HttpServerRequest request) {
    return Optional.ofNullable(request.getCookie(NAME))
        .map(Cookie::getValue)
        .flatMap(SessionSecret::parse);
  }

  /** The cookie with a secret. */
  static Cookie of(HttpServerRequest request, SessionSecret secret) {
    return cookie(request, secret.text());
  }

  /** The cookie that removes the one before. */
  static Cookie ended(HttpServerRequest request) {
    return cookie(request, "").setMaxAge(0);
  }

  private static Cookie cookie(HttpServerRequest request, String value) {
    return Cookie.cookie(NAME, value)
        .setHttpOnly(true)
        .setSameSite(CookieSameSite.STRICT)
        .setSecure(isSecure(request))
        .setPath(PATH);
  }

  // Behind a proxy with TLS, only the browser knows that the connection is secure.
  private static boolean isSecure(HttpServerRequest request) {
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    return request.isSSL() || (origin != null && origin.startsWith("https://"));
  }

  /** Removes the cookie of a session, which a browser sends to all ports of a host: upstreams must not see it. */
  static void removeFrom(MultiMap headers) {
    List<String> shown = headers.getAll(HttpHeaders.COOKIE);
    if (shown.stream().noneMatch(cookies -> cookies.contains(NAME + "="))) {
      return;
    }
    headers.remove(HttpHeaders.COOKIE);
    shown.stream()
        .map(cookies -> Arrays.stream(cookies.split(";", -1))
            .map(String::strip)
            .filter(cookie -> !cookie.startsWith(NAME + "="))
            .collect(Collectors.joining("; ")))
        .filter(cookies -> !cookies.isEmpty())
        .forEach(cookies -> headers.add(HttpHeaders.COOKIE, cookies));
  }
}
