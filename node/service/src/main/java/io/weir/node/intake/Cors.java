package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Cross-origin access for scripts of web pages (Fetch Standard, section 3.3, CORS protocol): scripts of allowed origins
 * may send requests and read the answers. The headers of Weir are exposed in every such answer. Immutable.
 */
public final class Cors {
  /** Allows no web page. */
  public static final Cors NONE = new Cors(List.of());

  private static final String ANY = "*";
  private static final Pattern ORIGIN =
      Pattern.compile("\\*|https?://([a-z0-9.-]{1,253}|\\[[0-9a-f:]+])(:[0-9]{1,5})?");
  private static final Pattern NAMES = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~, -]{1,4000}");
  private static final String MAX_AGE_SECONDS = "600";
  private static final String VARIES =
      "Access-Control-Request-Method, Access-Control-Request-Headers";
  private static final List<String> OURS = List.of(
      "Location",
      "Preference-Applied",
      "Proxy-Status",
      "RateLimit",
      "RateLimit-Policy",
      "Retry-After",
      "Retry-After-Ms",
      "Retry-Ticket",
      "Weir-Degraded",
      "Weir-Executed",
      "Weir-Job-State",
      "Weir-Multiplier",
      "Weir-Near-Limit",
      "Weir-Paid-By");

  private final List<String> origins;

  private Cors(List<String> origins) {
    this.origins = List.copyOf(origins);
  }

  /** Allows pages of these origins, or of any origin if one of them is a star. */
  public static Cors of(List<String> origins) {
    return new Cors(origins);
  }

  /** Whether a text is an origin as browsers send it, or a star. */
  public static boolean isOrigin(String text) {
    return ORIGIN.matcher(text).matches();
  }

  /** Whether a request is a preflight request of an allowed origin. */
  boolean isPreflight(HttpServerRequest request) {
    return !origins.isEmpty()
        && HttpMethod.OPTIONS.equals(request.method())
        && request.headers().contains(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD)
        && allowed(request).isPresent();
  }

  /** Answers a preflight request: everything that the page wants to send is allowed. Charges no limit. */
  Future<Void> answer(HttpServerRequest request) {
    MultiMap headers = request.response().headers();
    copy(request, "Access-Control-Request-Method", "Access-Control-Allow-Methods");
    copy(request, "Access-Control-Request-Headers", "Access-Control-Allow-Headers");
    headers.set(HttpHeaders.ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS);
    headers.set(HttpHeaders.VARY, VARIES);
    return request.response().setStatusCode(204).end();
  }

  /** Adds the headers that let a page read an answer, before its head is written. */
  void addHeaders(HttpServerRequest request) {
    MultiMap headers = request.response().headers();
    if (!headers.contains(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN)) {
      allowed(request).ifPresent(origin -> {
        headers.set(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        if (!origin.equals(ANY)) {
          headers.add(HttpHeaders.VARY, HttpHeaders.ORIGIN);
        }
      });
    }
    if (headers.contains(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN)) {
      expose(headers);
    }
  }

  private static void expose(MultiMap headers) {
    String ours = OURS.stream().filter(headers::contains).collect(Collectors.joining(", "));
    if (!ours.isEmpty()) {
      headers.add(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, ours);
    }
  }

  private Optional<String> allowed(HttpServerRequest request) {
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    if (origin == null || origins.isEmpty()) {
      return Optional.empty();
    }
    return origins.contains(ANY) ? Optional.of(ANY) : Optional.of(origin).filter(origins::contains);
  }

  private static void copy(HttpServerRequest request, String from, String to) {
    String value = request.getHeader(from);
    if (value != null && NAMES.matcher(value).matches()) {
      request.response().putHeader(to, value);
    }
  }
}
