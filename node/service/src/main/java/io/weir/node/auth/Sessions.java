package io.weir.node.auth;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.SecretHash;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The sessions of operators who use the page of this node in a browser. A session stands for the token it was begun with,
 * which is looked up at each request: it ends with the token. The token is stored encrypted; only the cookie opens it.
 * Mutable; safe for use by many threads.
 */
public final class Sessions {
  /** The header that shows the session's second secret, which pages of other sites do not know. */
  public static final String CSRF_HEADER = "Weir-Csrf";

  private static final String COOKIE = "weir-session";
  private static final String PATH = "/v1";
  private static final int MOST = 256;
  private static final int MOST_OF_OPERATOR = 64;
  private static final int SECRET_BYTES = 32;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final Duration LASTS = Duration.ofHours(12);
  private static final Set<HttpMethod> SAFE = Set.of(HttpMethod.GET, HttpMethod.HEAD);
  private static final Set<String> OWN_SITE = Set.of("same-origin", "none");
  private static final ProblemDetails CSRF = ProblemDetails.of(
      403,
      "csrf_invalid",
      "A request with a session's cookie that changes something needs the session's "
          + CSRF_HEADER);

  private final SecureRandom random = new SecureRandom();
  private final LongSupplier nanos;
  /** By the hash of the cookie, the oldest first. */
  private final Map<String, Session> open = new LinkedHashMap<>();

  /** @param nanos a clock that is never moved back */
  public Sessions(LongSupplier nanos) {
    this.nanos = nanos;
    sealed(secret(), ""); // loads the cipher, which takes long, before an event loop needs it
  }

  private record Session(String operator, Buffer sealedToken, String csrf, long begunNanos) {
    boolean isOver(long nowNanos) {
      return nowNanos - begunNanos > LASTS.toNanos();
    }
  }

  /**
   * Begins a session of a token, which counts, and sets its cookie; the one before of the same browser ends. If there are
   * too many, the oldest of this operator ends, or of the one who has the most: none ends those of all others.
   *
   * @return what {@link #csrf} tells from now on
   */
  public String begin(HttpServerRequest request, String operator, String token) {
    String secret = secret();
    String csrf = secret();
    long now = nanos.getAsLong();
    synchronized (open) {
      shown(request).ifPresent(before -> open.remove(name(before)));
      open.values().removeIf(session -> session.isOver(now));
      makeRoom(operator);
      open.put(name(secret), new Session(operator, sealed(secret, token), csrf, now));
    }
    request.response().addCookie(cookie(request, secret));
    return csrf;
  }

  private void makeRoom(String operator) {
    Map<String, Long> counts =
        open.values().stream().collect(groupingBy(Session::operator, counting()));
    if (counts.getOrDefault(operator, 0L) >= MOST_OF_OPERATOR) {
      removeOldest(operator);
    } else if (open.size() >= MOST) {
      counts.entrySet().stream()
          .max(Map.Entry.comparingByValue())
          .ifPresent(most -> removeOldest(most.getKey()));
    }
  }

  private void removeOldest(String operator) {
    open.entrySet().stream()
        .filter(session -> session.getValue().operator().equals(operator))
        .findFirst()
        .map(Map.Entry::getKey)
        .ifPresent(open::remove);
  }

  /** Ends the session of a request, if it has one, and removes its cookie. */
  public void end(HttpServerRequest request) {
    shown(request).ifPresent(secret -> {
      synchronized (open) {
        open.remove(name(secret));
      }
    });
    request.response().addCookie(cookie(request, "").setMaxAge(0));
  }

  /** Removes the cookie of a session, which a browser sends to all ports of a host: upstreams must not see it. */
  static void removeFrom(MultiMap headers) {
    List<String> shown = headers.getAll(HttpHeaders.COOKIE);
    if (shown.stream().noneMatch(cookies -> cookies.contains(COOKIE + "="))) {
      return;
    }
    headers.remove(HttpHeaders.COOKIE);
    shown.stream()
        .map(cookies -> Arrays.stream(cookies.split(";", -1))
            .map(String::strip)
            .filter(cookie -> !cookie.startsWith(COOKIE + "="))
            .collect(Collectors.joining("; ")))
        .filter(cookies -> !cookies.isEmpty())
        .forEach(cookies -> headers.add(HttpHeaders.COOKIE, cookies));
  }

  /** What a page of this node has to show with each change, in {@link #CSRF_HEADER}. */
  public Optional<String> csrf(HttpServerRequest request) {
    return shown(request).flatMap(this::session).map(Session::csrf);
  }

  /**
   * The token of the session of a request.
   *
   * @throws RefusedException if the request may change something and could be one of another site's page
   */
  public Optional<String> token(HttpServerRequest request) {
    Optional<String> secret = shown(request);
    Optional<Session> session = secret.flatMap(this::session);
    if (session.isPresent() && !isOfOwnPage(request, session.get())) {
      throw new RefusedException(CSRF);
    }
    return session.map(it -> opened(secret.orElseThrow(), it.sealedToken()));
  }

  private static boolean isOfOwnPage(HttpServerRequest request, Session session) {
    String site = request.getHeader("Sec-Fetch-Site"); // browsers set it, and scripts cannot
    if (site != null && !OWN_SITE.contains(site)) {
      return false;
    }
    String shown = request.getHeader(CSRF_HEADER);
    return SAFE.contains(request.method())
        || (shown != null && MessageDigest.isEqual(bytes(shown), bytes(session.csrf())));
  }

  private Optional<Session> session(String secret) {
    long now = nanos.getAsLong();
    synchronized (open) {
      return Optional.ofNullable(open.get(name(secret))).filter(session -> !session.isOver(now));
    }
  }

  private static Optional<String> shown(HttpServerRequest request) {
    return Optional.ofNullable(request.getCookie(COOKIE))
        .map(Cookie::getValue)
        .filter(value -> !value.isEmpty());
  }

  private static Cookie cookie(HttpServerRequest request, String value) {
    return Cookie.cookie(COOKIE, value)
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

  private String secret() {
    byte[] secret = new byte[SECRET_BYTES];
    random.nextBytes(secret);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
  }

  // A hash, so that comparing names tells nothing of secrets.
  private static String name(String secret) {
    return SecretHash.of("session " + secret).compact();
  }

  private Buffer sealed(String secret, String token) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    return Buffer.buffer(nonce)
        .appendBytes(crypt(Cipher.ENCRYPT_MODE, secret, nonce, bytes(token)));
  }

  private static String opened(String secret, Buffer sealed) {
    byte[] nonce = sealed.getBytes(0, NONCE_BYTES);
    byte[] text = sealed.getBytes(NONCE_BYTES, sealed.length());
    return new String(crypt(Cipher.DECRYPT_MODE, secret, nonce, text), StandardCharsets.UTF_8);
  }

  private static byte[] crypt(int mode, String secret, byte[] nonce, byte[] text) {
    byte[] key = Base64.getUrlDecoder().decode(SecretHash.of(secret).compact());
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(TAG_BITS, nonce));
      return cipher.doFinal(text);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has AES/GCM", e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
