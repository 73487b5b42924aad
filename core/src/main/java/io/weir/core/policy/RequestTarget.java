package io.weir.core.policy;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Parses the path of a request as rules see it. A path that two servers may read differently is refused: the limit must
 * be that of the path that the upstream serves.
 */
public final class RequestTarget {
  private RequestTarget() {}

  /**
   * The decoded segments of a raw path; empty if it is ambiguous: not absolute, with a dot segment, an empty segment, a
   * backslash, a control character, an escaped slash or percent sign, or a broken escape.
   */
  public static Optional<List<String>> segments(String rawPath) {
    if (!rawPath.startsWith("/")
        || rawPath.contains("//")
        || rawPath.contains("\\")
        || hasAmbiguousEscape(rawPath)) {
      return Optional.empty();
    }
    List<String> segments = new ArrayList<>();
    for (String raw : PathPattern.segments(rawPath)) {
      Optional<String> segment = decoded(raw);
      if (segment.isEmpty()) {
        return Optional.empty();
      }
      segments.add(segment.get());
    }
    return Optional.of(segments);
  }

  private static Optional<String> decoded(String raw) {
    try {
      // URLDecoder decodes forms, where a plus sign is a space.
      String text = raw.indexOf('%') < 0
          ? raw
          : URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
      // Parameters of a segment (RFC 3986, section 3.3) are dropped by some servers: match without
      // them.
      int parameters = text.indexOf(';');
      String name = parameters < 0 ? text : text.substring(0, parameters);
      boolean odd = name.isEmpty()
          || name.equals(".")
          || name.equals("..")
          || name.chars().anyMatch(c -> c < ' ' || c == 0x7f || c == '\uFFFD');
      return odd ? Optional.empty() : Optional.of(name);
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // a percent sign without two hexadecimal digits
    }
  }

  private static boolean hasAmbiguousEscape(String rawPath) {
    if (rawPath.indexOf('%') < 0) {
      return false;
    }
    String lower = rawPath.toLowerCase(Locale.ROOT);
    return lower.contains("%2f")
        || lower.contains("%5c")
        || lower.contains("%25")
        || lower.contains("%3b");
  }
}
