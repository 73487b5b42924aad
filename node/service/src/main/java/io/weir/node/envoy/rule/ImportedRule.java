package io.weir.node.envoy.rule;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A rule of a file that is imported.
 *
 * @param limit as a policy has it
 * @param mode as a policy has it; empty for one that is enforced
 */
record ImportedRule(
    Origin origin,
    List<EntryMatch> match,
    String limit,
    Optional<String> mode,
    Optional<String> name,
    List<String> replaces) {
  /** The line of a file with the rule. */
  record Origin(String file, int line) {}

  ImportedRule {
    match = List.copyOf(match);
    replaces = List.copyOf(replaces);
  }

  /** The same, replacing no other rules than these. */
  ImportedRule replacing(List<String> names) {
    return new ImportedRule(
        origin,
        match,
        limit,
        mode,
        name,
        replaces.stream().filter(names::contains).toList());
  }

  /** The rule as a policy has it. */
  String text() {
    StringBuilder text = new StringBuilder("{ match: [");
    text.append(match.stream().map(ImportedRule::text).collect(Collectors.joining(", ")));
    text.append("], ").append(limit);
    mode.ifPresent(given -> text.append(", mode: ").append(given));
    name.ifPresent(given -> text.append(", name: ").append(quoted(given)));
    if (!replaces.isEmpty()) {
      text.append(", replaces: [")
          .append(replaces.stream().map(ImportedRule::quoted).collect(Collectors.joining(", ")))
          .append(']');
    }
    return text.append(" }").toString();
  }

  private static String text(EntryMatch entry) {
    return "{ key: " + quoted(entry.key())
        + entry.value().map(value -> ", value: " + quoted(value)).orElse("")
        + (entry.shared() ? ", shared: true" : "")
        + " }";
  }

  // In double quotes, YAML has the escapes of JSON.
  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || c == 0x7f) {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
