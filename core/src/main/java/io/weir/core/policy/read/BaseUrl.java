package io.weir.core.policy.read;

import io.weir.core.policy.schema.Field;
import java.net.URI;
import java.util.Optional;

/** The URL of an upstream, which may contain a secret. */
public final class BaseUrl {
  private static final int MAX_PORT = 65_535;

  private BaseUrl() {}

  /** The required field {@code url}. */
  public static Field<URI> field(String meaning) {
    return Field.secret(
            "url",
            text -> Optional.of(text).filter(BaseUrl::isSound).map(URI::create),
            "https?://[^/?#@\\s]+/?",
            "http:// or https://, a host and maybe a port, without a path",
            meaning)
        .required();
  }

  private static boolean isSound(String text) {
    try {
      URI uri = URI.create(text);
      if (uri.getHost() == null || uri.getPort() > MAX_PORT) {
        return false; // opaque, such as localhost:8080, or without a host
      }
      boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      boolean bare = uri.getRawPath().isEmpty() || uri.getRawPath().equals("/");
      return web && bare && uri.getRawUserInfo() == null && uri.getRawQuery() == null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
