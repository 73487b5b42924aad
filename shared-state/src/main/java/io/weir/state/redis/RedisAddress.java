package io.weir.state.redis;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where Redis is: the one reading of its URI, so that everybody who connects sees the same database.
 *
 * @param tls whether the connection is encrypted
 * @param database the number of the database
 */
public record RedisAddress(
    boolean tls,
    String host,
    int port,
    int database,
    Optional<String> username,
    Optional<String> password) {
  private static final int DEFAULT_PORT = 6379;
  private static final Pattern DATABASE = Pattern.compile("/?|/\\d{1,4}");

  /**
   * Reads {@code redis[s]://[[username]:password@]host[:port][/database]}; what is special in a URI is
   * percent-encoded.
   *
   * @throws IllegalArgumentException where it is something else; the message does not repeat it, for it
   *     may hold a password
   */
  public static RedisAddress parse(String text) {
    URI uri = uri(text);
    boolean redis = "redis".equals(uri.getScheme()) || "rediss".equals(uri.getScheme());
    if (!redis || uri.getHost() == null || !DATABASE.matcher(uri.getRawPath()).matches()) {
      throw malformed();
    }
    String path = uri.getRawPath().replace("/", "");
    String user = Optional.ofNullable(uri.getRawUserInfo()).orElse("");
    int colon = user.indexOf(':');
    return new RedisAddress(
        "rediss".equals(uri.getScheme()),
        uri.getHost(),
        uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(),
        path.isEmpty() ? 0 : Integer.parseInt(path),
        decoded(colon < 0 ? "" : user.substring(0, colon)),
        decoded(user.substring(colon + 1)));
  }

  @Override
  public String toString() {
    return "%s:%d/%d".formatted(host, port, database); // without the password
  }

  private static URI uri(String text) {
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      throw malformed();
    }
  }

  private static Optional<String> decoded(String text) {
    String plain = URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    return Optional.of(plain).filter(t -> !t.isEmpty());
  }

  private static IllegalArgumentException malformed() {
    return new IllegalArgumentException(
        "the URI of Redis (expected: redis[s]://[[username]:password@]host[:port][/database])");
  }
}
