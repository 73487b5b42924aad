package io.weir.node.command;

import static java.util.Objects.requireNonNull;

import io.weir.core.policy.Nearest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The help of {@code weir}: its commands in groups; and that of a mistyped command. */
final class WeirHelp {
  private static final String OTHERS = "Others";
  private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

  static {
    GROUPS.put(
        "Look", List.of("status", "top", "denials", "explain", "work", "inspect", "jobs", "audit"));
    GROUPS.put("Limits", List.of("policy", "reset", "replay", "warnings"));
    GROUPS.put("Callers", List.of("keys", "tenants", "tokens", "key"));
    GROUPS.put(
        "Run", List.of("node", "context", "completion", "man", "up", "demo", "replay-vectors"));
  }

  private WeirHelp() {}

  /** Shows the commands of a line in groups, and answers a mistyped one with the nearest. */
  static void addTo(CommandLine line) {
    HelpText.addTo(line);
    line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
    line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, WeirHelp::commands);
    line.setParameterExceptionHandler((error, arguments) -> refused(error));
  }

  // One sentence, where picocli prints the whole help below it.
  private static int refused(ParameterException error) {
    CommandLine line = error.getCommandLine();
    if (error instanceof UnmatchedArgumentException unmatched) {
      String typed = unmatched.getUnmatched().get(0).split("=", 2)[0];
      if (unmatched.isUnknownOption()) {
        return unknown("option", typed, line, line.getCommandSpec().optionsMap().keySet());
      }
      if (!line.getSubcommands().isEmpty()) {
        return unknown("command", typed, line, line.getSubcommands().keySet());
      }
    }
    int status = said(line, String.valueOf(error.getMessage()));
    if (!line.getSubcommands().isEmpty()) {
      line.usage(line.getErr(), line.getColorScheme()); // no command is named: it lists them
    }
    return status;
  }

  private static int said(CommandLine line, String message) {
    String sentence =
        "%s: see %s --help".formatted(message, line.getCommandSpec().qualifiedName());
    line.getErr().println(line.getColorScheme().errorText(Wrapped.lines(sentence)));
    return line.getCommandSpec().exitCodeOnInvalidInput();
  }

  private static String commands(Help help) {
    List<String> left = new ArrayList<>(help.subcommands().keySet());
    StringBuilder text = new StringBuilder();
    GROUPS.forEach((title, names) -> {
      List<String> here = names.stream().filter(left::contains).toList();
      left.removeAll(here);
      text.append(group(title, here, help));
    });
    return text.append(group(OTHERS, left, help)).toString();
  }

  private static String group(String title, List<String> names, Help help) {
    if (names.isEmpty()) {
      return "";
    }
    int indent =
        4 + help.subcommands().keySet().stream().mapToInt(String::length).max().orElse(0);
    String lines = names.stream()
        .map(name -> Wrapped.named(
                "  " + name,
                indent,
                firstSentence(requireNonNull(help.subcommands().get(name))))
            .replaceFirst(name, help.colorScheme().commandText(name).toString()))
        .collect(Collectors.joining("%n".formatted()));
    return "%n%s:%n%s%n".formatted(title, lines);
  }

  private static String firstSentence(Help of) {
    String text = String.join(" ", of.commandSpec().usageMessage().description());
    return text.split("[.:] ", 2)[0].replaceFirst("\\.$", "").replace("%%", "%");
  }

  private static int unknown(String kind, String typed, CommandLine line, Set<String> known) {
    String nearest = Nearest.to(typed, known).map(" (%s?)"::formatted).orElse("");
    return said(line, "no %s '%s'%s".formatted(kind, typed, nearest));
  }
}
