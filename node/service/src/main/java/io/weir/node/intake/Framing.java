package io.weir.node.intake;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.node.answer.ProblemDetails;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Checks that every server reads the framing of a request alike (RFC 9112). An ambiguous request is refused, and its
 * connection closed: the bytes after it may be part of it.
 */
public final class Framing {
  private Framing() {}

  /** Why a request is refused; empty if its framing is unambiguous. */
  public static Optional<ProblemDetails> refusal(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_1_1 && request.version() != HttpVersion.HTTP_1_0) {
      return Optional.of(
          ProblemDetails.of(505, "version_not_supported", "Only HTTP/1.1 and HTTP/1.0 are spoken"));
    }
    if (!isPlain(request)) {
      return Optional.of(
          invalid("The body is framed in a way that two servers may read differently"));
    }
    int hosts = request.headers().getAll(HttpHeaders.HOST).size();
    if (hosts > 1 || (hosts == 0 && request.version() == HttpVersion.HTTP_1_1)) {
      return Optional.of(invalid("There must be one Host header (RFC 9112, section 3.2)"));
    }
    if (!request.method().name().chars().allMatch(c -> c < 'a' || c > 'z')) {
      return Optional.of(invalid("Methods are in upper case (RFC 9110, section 9.1)"));
    }
    // Only the origin form (section 3.2.1): in any other form, the path that is matched here may
    // differ from the path that an upstream sees.
    boolean isOrigin = !HttpMethod.CONNECT.equals(request.method())
        && request.uri().startsWith("/")
        && request.uri().indexOf('#') < 0;
    return isOrigin
        ? Optional.empty()
        : Optional.of(invalid("The request target must be a path, with or without a query"));
  }

  /** The length of the body (section 6.3); empty if it is chunked. */
  public static OptionalLong length(HttpServerRequest request) {
    if (request.headers().contains(HttpHeaders.TRANSFER_ENCODING)) {
      return OptionalLong.empty();
    }
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    // The decoder has refused lengths that are not numbers.
    return OptionalLong.of(length == null ? 0 : Long.parseLong(length));
  }

  // A length, or chunked and nothing else.
  private static boolean isPlain(HttpServerRequest request) {
    List<String> encodings = request.headers().getAll(HttpHeaders.TRANSFER_ENCODING);
    return encodings.isEmpty()
        || (encodings.size() == 1
            && encodings.get(0).strip().equalsIgnoreCase("chunked")
            && request.version() == HttpVersion.HTTP_1_1);
  }

  private static ProblemDetails invalid(String title) {
    return ProblemDetails.of(400, "request_invalid", title);
  }
}
