package io.weir.node.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * A row of the table of commands: a name, arguments, and the requests to the admin port of a node that it makes of them.
 * Immutable.
 */
public final class CommandRow {
  private final String name;
  private final String description;
  private final List<PositionalParamSpec> positionals;
  private final List<OptionSpec> options;
  private final boolean isWatched;
  private final Work work;

  /** Makes the requests, and prints the answers. */
  @FunctionalInterface
  public interface Work {
    /** Returns the exit status. */
    int run(RowCommand call) throws IOException;
  }

  private CommandRow(
      String name,
      String description,
      List<PositionalParamSpec> positionals,
      List<OptionSpec> options,
      boolean isWatched,
      Work work) {
    this.name = name;
    this.description = description;
    this.positionals = List.copyOf(positionals);
    this.options = List.copyOf(options);
    this.isWatched = isWatched;
    this.work = work;
  }

  /** A command without arguments. */
  public static CommandRow of(String name, String description, Work work) {
    return new CommandRow(name, description, List.of(), List.of(), false, work);
  }

  /** Adds an argument that is required. */
  public CommandRow argument(String label, String explanation) {
    return with(positional(label, explanation).arity("1").required(true));
  }

  /** Adds an argument that may be left out. */
  public CommandRow optionalArgument(String label, String explanation) {
    return with(positional(label, explanation).arity("0..1"));
  }

  private PositionalParamSpec.Builder positional(String label, String explanation) {
    return PositionalParamSpec.builder()
        .index(Integer.toString(positionals.size()))
        .paramLabel(label)
        .type(String.class)
        .description(explanation);
  }

  /** Adds an option with a value. */
  public CommandRow option(String option, String label, String explanation) {
    return with(valued(option, label, explanation));
  }

  /** Adds an option that must be given. */
  public CommandRow required(String option, String label, String explanation) {
    return with(valued(option, label, explanation).required(true));
  }

  /** Adds an option with a default value. */
  public CommandRow option(String option, String label, String usual, String explanation) {
    return with(
        valued(option, label, explanation + " (default: %s)".formatted(usual)).defaultValue(usual));
  }

  /** Adds an option for a number, with a default value. */
  public CommandRow number(String option, String label, int usual, String explanation) {
    return with(valued(option, label, explanation + " (default: %d)".formatted(usual))
        .type(int.class)
        .defaultValue(Integer.toString(usual)));
  }

  /** Adds an option that may be repeated. */
  public CommandRow repeated(String option, String label, String explanation) {
    return with(valued(option, label, explanation + "; may be repeated")
        .type(List.class)
        .auxiliaryTypes(String.class));
  }

  /** Adds an option for names with values that may be repeated. */
  public CommandRow pairs(String option, String label, String explanation) {
    return with(valued(option, label, explanation + "; may be repeated")
        .type(Map.class)
        .auxiliaryTypes(String.class, String.class));
  }

  /** Adds an option without a value. */
  public CommandRow flag(String option, String explanation) {
    return with(OptionSpec.builder(option).type(boolean.class).description(explanation));
  }

  private static OptionSpec.Builder valued(String option, String label, String explanation) {
    return OptionSpec.builder(option).paramLabel(label).type(String.class).description(explanation);
  }

  /** Adds the option {@code --watch}, which repeats the command. */
  public CommandRow watched() {
    CommandRow row = flag("--watch", "shows it again every two seconds, until interrupted");
    return new CommandRow(name, description, positionals, row.options, true, work);
  }

  private CommandRow with(PositionalParamSpec.Builder one) {
    List<PositionalParamSpec> all = new ArrayList<>(positionals);
    all.add(one.build());
    return new CommandRow(name, description, all, options, isWatched, work);
  }

  private CommandRow with(OptionSpec.Builder one) {
    List<OptionSpec> all = new ArrayList<>(options);
    all.add(one.build());
    return new CommandRow(name, description, positionals, all, isWatched, work);
  }

  /** Adds name, description and arguments to a command. */
  void describe(CommandSpec spec) {
    spec.name(name).usageMessage().description(description);
    positionals.forEach(one -> spec.addPositional(one.toBuilder().build()));
    options.forEach(one -> spec.addOption(one.toBuilder().build()));
  }

  boolean isWatched() {
    return isWatched;
  }

  Work work() {
    return work;
  }
}
