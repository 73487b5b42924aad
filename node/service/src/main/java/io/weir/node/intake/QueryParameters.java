package io.weir.node.intake;

import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The query of a request to one of our own doors. An unknown parameter is refused: ignoring it would do something else
 * than the caller asked for.
 */
public final class QueryParameters {
  private static final int MAX_SHOWN = 40;
  private static final int MAX_LISTED = 20;
  private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9]{0,8}");

  private QueryParameters() {}

  /** Throws {@link RefusedException} that names every parameter that is unknown or repeated. */
  static void requireKnown(HttpServerRequest request, Set<String> known) {
    String query = Optional.ofNullable(request.query()).orElse("");
    if (!query.isEmpty()) {
      read(query, known);
    }
  }

  /**
   * Whether a flag is set: {@code true}, or {@code false}, which is the default.
   *
   * @throws RefusedException if it has another value
   */
  public static boolean flag(HttpServerRequest request, String name) {
    return flag(values(request, Set.of(name)), name);
  }

  /** The same for values that have been read. */
  public static boolean flag(Map<String, String> values, String name) {
    String value = values.get(name);
    if (value == null || value.equals("false")) {
      return false;
    }
    if (value.equals("true")) {
      return true;
    }
    throw refused(List.of("%s: %s (expected: true or false)".formatted(name, shown(value))));
  }

  /**
   * A whole number, {@code usual} if it is not given.
   *
   * @throws RefusedException unless it is {@code least} to {@code most}
   */
  public static int number(
      Map<String, String> values, String name, int usual, int least, int most) {
    List<String> mistakes = new ArrayList<>(1);
    int number = number(values, name, usual, least, most, mistakes);
    if (!mistakes.isEmpty()) {
      throw refused(mistakes);
    }
    return number;
  }

  /** The same, and {@code usual} with one more of the mistakes if it is another number, or none. */
  public static int number(
      Map<String, String> values,
      String name,
      int usual,
      int least,
      int most,
      List<String> mistakes) {
    String value = values.getOrDefault(name, Integer.toString(usual));
    int number = WHOLE.matcher(value).matches() ? Integer.parseInt(value) : -1;
    if (number >= least && number <= most) {
      return number;
    }
    mistakes.add("%s: %s (expected: %d to %d)".formatted(name, shown(value), least, most));
    return usual;
  }

  /** The values of the known parameters that are given; throws {@link RefusedException} for any other parameter. */
  public static Map<String, String> values(HttpServerRequest request, Set<String> known) {
    String query = Optional.ofNullable(request.query()).orElse("");
    return query.isEmpty() ? Map.of() : read(query, known);
  }

  private static Map<String, String> read(String query, Set<String> known) {
    Map<String, String> values = new LinkedHashMap<>();
    List<String> mistakes = new ArrayList<>(0);
    for (String parameter : query.split("&", -1)) {
      String[] parts = parameter.split("=", 2);
      String name = decoded(parts[0]);
      if (!known.contains(name)) {
        mistakes.add(
            "%s: no such query parameter (expected: %s)".formatted(shown(name), all(known)));
      } else if (values.put(name, parts.length == 1 ? "" : decoded(parts[1])) != null) {
        mistakes.add("%s: twice (expected: once)".formatted(name));
      }
      if (mistakes.size() == MAX_LISTED) {
        break;
      }
    }
    if (!mistakes.isEmpty()) {
      throw refused(mistakes);
    }
    return values;
  }

  private static String all(Set<String> known) {
    return known.isEmpty() ? "none" : known.stream().sorted().collect(Collectors.joining(", "));
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw refused(List.of("a broken escape (expected: percent and two hexadecimal digits)"));
    }
  }

  private static String shown(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
  }

  private static RefusedException refused(List<String> mistakes) {
    return new RefusedException(ProblemDetails.badRequest("query_invalid", mistakes));
  }
}
