package io.weir.node.command;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The texts of a command's help in lines that end between words: picocli also ends them within a word, such as at a dot
 * of {@code policy.yaml}.
 */
final class HelpText {
  private static final int MOST_INDENT = 29;
  private static final int GAP = 3;
  private static final int OF_SHORT = "  -h, ".length();
  private static final int INDENT = 2;

  private HelpText() {}

  /** Shows the help of a command, and of those below it, in such lines. */
  static void addTo(CommandLine line) {
    var sections = line.getHelpSectionMap();
    sections.put(
        UsageMessageSpec.SECTION_KEY_DESCRIPTION,
        help -> text(help.commandSpec().usageMessage().description(), 0));
    sections.put(UsageMessageSpec.SECTION_KEY_PARAMETER_LIST, HelpText::parameters);
    sections.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpText::options);
    sections.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, HelpText::commands);
    line.getSubcommands().values().forEach(HelpText::addTo);
  }

  private static String parameters(Help help) {
    int indent = indent(help);
    return help.commandSpec().positionalParameters().stream()
        .filter(parameter -> !parameter.hidden())
        .map(parameter -> line(left(help, parameter), indent, parameter.description()))
        .collect(Collectors.joining());
  }

  private static String options(Help help) {
    int indent = indent(help);
    List<OptionSpec> options = new ArrayList<>(help.commandSpec().options());
    if (help.commandSpec().usageMessage().sortOptions()) {
      options.sort(Help.createShortOptionNameComparator());
    }
    return options.stream()
        .filter(option -> !option.hidden())
        .map(option -> line(left(help, option), indent, option.description()))
        .collect(Collectors.joining());
  }

  private static String commands(Help help) {
    int indent = INDENT
        + GAP
        - 1
        + help.subcommands().keySet().stream().mapToInt(String::length).max().orElse(0);
    return help.subcommands().entrySet().stream()
        .filter(command -> !command.getValue().commandSpec().usageMessage().hidden())
        .map(command -> line(
            spaces(help, INDENT).concat(help.colorScheme().commandText(command.getKey())),
            indent,
            command.getValue().commandSpec().usageMessage().description()))
        .collect(Collectors.joining());
  }

  // As wide as the longest name, unless that is too wide for what stands beside it.
  private static int indent(Help help) {
    Stream<Text> all = Stream.concat(
        help.commandSpec().options().stream()
            .filter(option -> !option.hidden())
            .map(option -> left(help, option)),
        help.commandSpec().positionalParameters().stream().map(parameter -> left(help, parameter)));
    return Math.min(MOST_INDENT, GAP + all.mapToInt(HelpText::length).max().orElse(0));
  }

  private static Text left(Help help, OptionSpec option) {
    String shortest = option.shortestName();
    Text names = shortest.length() > 2
        ? spaces(help, OF_SHORT)
        : spaces(help, INDENT).concat(help.colorScheme().optionText(shortest));
    if (option.names().length > 1 && shortest.length() == 2) {
      names = names.concat(", ");
    }
    if (option.longestName().length() > 2) {
      names = names.concat(help.colorScheme().optionText(option.longestName()));
    }
    return names.concat(label(help, option));
  }

  private static Text left(Help help, PositionalParamSpec parameter) {
    return spaces(help, OF_SHORT).concat(label(help, parameter));
  }

  private static Text label(Help help, ArgSpec argument) {
    return help.parameterLabelRenderer()
        .renderParameterLabel(
            argument, help.colorScheme().ansi(), help.colorScheme().parameterStyles());
  }

  private static Text spaces(Help help, int count) {
    return help.colorScheme().text(" ".repeat(count));
  }

  private static int length(Text text) {
    return text.plainString().length();
  }

  // A name that is too wide has a line of its own.
  private static String line(Text left, int indent, String[] description) {
    String beside = text(description, indent).stripLeading();
    boolean fits = length(left) < indent;
    String between =
        fits ? " ".repeat(indent - length(left)) : System.lineSeparator() + " ".repeat(indent);
    return left + between + beside;
  }

  private static String text(String[] description, int indent) {
    return Stream.of(description)
        .map(one -> Wrapped.named("", indent, one.replace("%%", "%")) + System.lineSeparator())
        .collect(Collectors.joining());
  }
}
