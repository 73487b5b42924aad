package io.weir.node.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.OptionalLong;

/** How long the body of a request says it is (RFC 9112, section 6.3). */
public final class BodyFraming {
  private BodyFraming() {}

  /** Whether the framing is one that every server reads alike: a length, or chunked and nothing else. */
  public static boolean isPlain(HttpServerRequest request) {
    String encoding = request.getHeader(HttpHeaders.TRANSFER_ENCODING);
    return encoding == null || encoding.strip().equalsIgnoreCase("chunked");
  }

  /** The length; empty where it is chunked. */
  public static OptionalLong length(HttpServerRequest request) {
    if (request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null) {
      return OptionalLong.empty();
    }
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    // The decoder has refused whatever is not a number.
    return OptionalLong.of(length == null ? 0 : Long.parseLong(length));
  }
}
