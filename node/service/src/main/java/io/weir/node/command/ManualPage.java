package io.weir.node.command;

import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The manual page of a command line, {@code weir(1)}: all commands with their options, for {@code man}. */
final class ManualPage {
  private ManualPage() {}

  /** Returns the page, in roff with the macros of man. */
  static String of(CommandLine line) {
    String name = line.getCommandName();
    StringBuilder page = new StringBuilder(
        """
        .TH %s 1
        .SH NAME
        %s \\- %s
        .SH SYNOPSIS
        .B %s
        .I COMMAND
        [options]
        .SH COMMANDS
        """.formatted(name.toUpperCase(Locale.ROOT), name, effect(line.getCommandSpec()), name));
    add(line, page);
    return page.append("""
        .SH EXIT STATUS
        0, or 1 after a failure, or 2 for wrong arguments.
        """).toString();
  }

  private static void add(CommandLine line, StringBuilder page) {
    if (line.getSubcommands().isEmpty()
        || line.getCommandSpec().userObject() instanceof Callable<?>) {
      page.append(command(line.getCommandSpec()));
    }
    line.getSubcommands().values().forEach(one -> add(one, page));
  }

  private static String command(CommandSpec spec) {
    String arguments = spec.positionalParameters().stream()
        .map(ManualPage::argument)
        .collect(Collectors.joining());
    String options = spec.options().stream()
        .filter(option -> !option.usageHelp() && !option.versionHelp() && !option.hidden())
        .map(ManualPage::option)
        .collect(Collectors.joining());
    return ".SS %s%s\n%s\n%s".formatted(spec.qualifiedName(), arguments, effect(spec), options);
  }

  private static String argument(PositionalParamSpec argument) {
    return argument.arity().min() == 0
        ? " [" + argument.paramLabel() + "]"
        : " " + argument.paramLabel();
  }

  private static String option(OptionSpec option) {
    String value = option.arity().max() == 0 ? "" : " \\fI" + text(option.paramLabel()) + "\\fR";
    String names = text(String.join(", ", option.names()));
    return ".TP\n\\fB%s\\fR%s\n%s\n".formatted(names, value, text(option.description()));
  }

  private static String effect(CommandSpec spec) {
    return text(spec.usageMessage().description());
  }

  // No line may be taken for a request of roff, no hyphen for one that a line may be broken at.
  private static String text(String... lines) {
    String text = String.join(" ", lines)
        .replace("%n", " ")
        .replace("%%", "%")
        .replace("\\", "\\e")
        .replace("-", "\\-");
    return text.startsWith(".") || text.startsWith("'") ? "\\&" + text : text;
  }
}
