package io.weir.node.intake;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The headers that belong to one connection and are not passed on (RFC 9110, section 7.6.1). */
public final class HopByHop {
  private static final List<String> NAMES = List.of(
      "Connection",
      "Keep-Alive",
      "Proxy-Authenticate",
      "Proxy-Authorization",
      "Proxy-Connection",
      "TE",
      "Trailer",
      "Upgrade");

  private HopByHop() {}

  /** Whether {@code Connection} lists a header, so that it is for this hop alone. */
  public static boolean isNamed(String name, MultiMap headers) {
    return named(headers).anyMatch(name::equalsIgnoreCase);
  }

  /** Removes these headers, and those that {@code Connection} lists; the headers of the body's framing stay. */
  public static void remove(MultiMap headers) {
    if (headers.contains(HttpHeaders.CONNECTION)) {
      named(headers)
          .filter(name -> !name.equalsIgnoreCase("Content-Length"))
          .toList()
          .forEach(headers::remove);
    }
    NAMES.forEach(headers::remove);
  }

  private static Stream<String> named(MultiMap headers) {
    return headers.getAll(HttpHeaders.CONNECTION).stream()
        .flatMap(value -> Arrays.stream(value.split(",", -1)))
        .map(String::strip)
        .filter(name -> !name.isEmpty());
  }
}
