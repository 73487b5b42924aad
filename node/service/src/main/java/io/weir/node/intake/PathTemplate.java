package io.weir.node.intake;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A path with parameters, as {@code /v1/jobs/{operation}/{id}}. Immutable. */
final class PathTemplate {
  private static final Pattern PARAMETER = Pattern.compile("\\{([a-zA-Z]+)}");
  private static final String USUAL = "[A-Za-z0-9_-]{1,64}";

  private final Pattern paths;
  private final List<String> names = new ArrayList<>();

  /** @param patterns of parameters, by name */
  PathTemplate(String text, Map<String, String> patterns) {
    StringBuilder regex = new StringBuilder();
    Matcher parameter = PARAMETER.matcher(text);
    int end = 0;
    while (parameter.find()) {
      String name = parameter.group(1);
      names.add(name);
      regex
          .append(Pattern.quote(text.substring(end, parameter.start())))
          .append("(?<%s>%s)".formatted(name, patterns.getOrDefault(name, USUAL)));
      end = parameter.end();
    }
    this.paths =
        Pattern.compile(regex.append(Pattern.quote(text.substring(end))).toString());
  }

  /** Whether a path has parameters. */
  static boolean isTemplate(String path) {
    return PARAMETER.matcher(path).find();
  }

  /** The values of the parameters in a path; empty if the path does not fit. */
  Optional<Map<String, String>> match(String path) {
    Matcher found = paths.matcher(path);
    if (!found.matches()) {
      return Optional.empty();
    }
    Map<String, String> values = new HashMap<>();
    names.forEach(name -> values.put(name, found.group(name)));
    return Optional.of(values);
  }
}
