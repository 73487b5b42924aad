package io.weir.operators.replay;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The method and the target of a request as a log has them (RFC 9112, section 3). Immutable.
 *
 * @param method in upper case
 * @param target an absolute path, maybe with a query
 */
record RequestLine(String method, String target) {
  private static final Pattern METHOD = Pattern.compile("[A-Za-z]{1,20}");
  private static final Pattern ABSOLUTE = Pattern.compile("(?i)https?://[^/?#]+(.*)");

  /** Reads {@code GET /path HTTP/1.1}; the version may be absent. Empty if the target is no path. */
  static Optional<RequestLine> parse(String text) {
    String[] parts = text.split(" ", 3);
    return parts.length >= 2 ? of(parts[0], parts[1]) : Optional.empty();
  }

  /** A method and a target; empty if one has another form. A target with an origin is its path. */
  static Optional<RequestLine> of(String method, String target) {
    return METHOD.matcher(method).matches()
        ? path(target).map(path -> new RequestLine(method.toUpperCase(Locale.ROOT), path))
        : Optional.empty();
  }

  private static Optional<String> path(String target) {
    if (target.startsWith("/")) {
      return Optional.of(target);
    }
    Matcher absolute = ABSOLUTE.matcher(target);
    if (!absolute.matches()) {
      return Optional.empty();
    }
    String rest = absolute.group(1);
    return Optional.of(rest.startsWith("/") ? rest : "/" + rest);
  }
}
