package io.weir.core.policy;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A pattern for the decoded path of a request: literal segments, {@code {name}} for any one segment, and
 * {@code /**} at the end for any further ones, none included.
 */
public final class PathPattern {
  private static final Pattern LITERAL = Pattern.compile("[A-Za-z0-9._~!$&'()+,=:@-]+");
  private static final Pattern VARIABLE = Pattern.compile("\\{[A-Za-z0-9_]+}");
  private static final String ANY_ONE = "{}";

  private final List<String> segments;
  private final boolean open;

  private PathPattern(List<String> segments, boolean open) {
    this.segments = segments;
    this.open = open;
  }

  /** Reads a pattern; empty if it is invalid. */
  public static Optional<PathPattern> parse(String text) {
    if (!text.startsWith("/")) {
      return Optional.empty();
    }
    boolean open = text.endsWith("/**");
    List<String> parts = segments(open ? text.substring(0, text.length() - 3) : text);
    if (!parts.stream().allMatch(PathPattern::isSegment)) {
      return Optional.empty();
    }
    List<String> segments = parts.stream()
        .map(part -> VARIABLE.matcher(part).matches() ? ANY_ONE : part)
        .toList();
    return Optional.of(new PathPattern(segments, open));
  }

  /** Splits a path into its segments; a slash at the end makes no difference. */
  public static List<String> segments(String path) {
    String inner = path.startsWith("/") ? path.substring(1) : path;
    return inner.isEmpty() ? List.of() : Arrays.asList(inner.split("/"));
  }

  /** Whether a path of these segments matches. */
  public boolean matches(List<String> path) {
    if (open ? path.size() < segments.size() : path.size() != segments.size()) {
      return false;
    }
    for (int i = 0; i < segments.size(); i++) {
      if (!covers(segments.get(i), path.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Whether a path that begins with these segments, the last of which may be a part of one, may match. */
  public boolean mayBegin(List<String> begin) {
    for (int i = 0; i < Math.min(begin.size() - 1, segments.size()); i++) {
      if (!covers(segments.get(i), begin.get(i))) {
        return false;
      }
    }
    return open || begin.size() - 1 <= segments.size();
  }

  /** Whether every path that {@code other} matches matches this pattern, too. */
  public boolean covers(PathPattern other) {
    return (open || !other.open) && matches(other.segments);
  }

  private static boolean covers(String pattern, String segment) {
    return pattern.equals(ANY_ONE) || pattern.equals(segment);
  }

  private static boolean isSegment(String part) {
    return LITERAL.matcher(part).matches() || VARIABLE.matcher(part).matches();
  }
}
