package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.command.RowCommand;
import io.weir.node.command.WeirCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The reference of commands is what the commands say. With {@code -Dweir.write=true} this test writes it. */
final class CommandReferenceTest {
  private static final Path REFERENCE = Path.of("../../docs/reference/commands.md");
  private static final String BEGIN = "<!-- commands -->\n";
  private static final String END = "<!-- end -->";
  private static final Set<String> COMMON = Set.of(
      "--node", "--context", "--admin-token", "--json", "--help", "--version", "--redis-uri");

  @Test
  void theReferenceHasEachCommandWithItsOptions() throws IOException {
    StringBuilder table = new StringBuilder("\n| Command | Effect | Options |\n|---|---|---|\n");
    add(WeirCommand.commandLine(Map.of(), Optional::empty), table);
    table.append('\n');
    String document = Files.readString(REFERENCE);
    int begin = document.indexOf(BEGIN) + BEGIN.length();
    int end = document.indexOf(END, begin);
    if (Boolean.getBoolean("weir.write")) {
      Files.writeString(REFERENCE, document.substring(0, begin) + table + document.substring(end));
    }
    assertThat(Files.readString(REFERENCE)).contains(BEGIN + table + END);
  }

  @Test
  void anArgumentWithoutBracketsIsRequired() {
    List<String> names = new ArrayList<>();
    require(WeirCommand.commandLine(Map.of(), Optional::empty), names);
    assertThat(names).hasSizeGreaterThan(20).contains("weir keys freeze ID");

    StringWriter err = new StringWriter();
    int status = WeirCommand.commandLine(Map.of("WEIR_ADMIN_TOKEN", "any"), Optional::empty)
        .setErr(new PrintWriter(err))
        .execute("keys", "freeze");
    assertThat(status).isEqualTo(2);
    assertThat(err.toString()).contains("Missing required parameter: 'ID'");
  }

  private static void require(CommandLine line, List<String> names) {
    CommandSpec spec = line.getCommandSpec();
    spec.positionalParameters().stream().filter(one -> one.arity().min() > 0).forEach(one -> {
      String name = spec.qualifiedName() + " " + one.paramLabel();
      assertThat(one.required()).as(name).isTrue();
      names.add(name);
    });
    line.getSubcommands().values().forEach(one -> require(one, names));
  }

  private static void add(CommandLine line, StringBuilder table) {
    if (line.getSubcommands().isEmpty() || line.getCommand() instanceof RowCommand) {
      table.append(row(line.getCommandSpec()));
    }
    line.getSubcommands().values().forEach(one -> add(one, table));
  }

  private static String row(CommandSpec spec) {
    String arguments = spec.positionalParameters().stream()
        .map(one -> one.arity().min() == 0 ? " [" + one.paramLabel() + "]" : " " + one.paramLabel())
        .collect(Collectors.joining());
    String options = spec.name().equals("node")
        ? "[Configuration](configuration.md)"
        : spec.options().stream()
            .map(OptionSpec::longestName)
            .filter(name -> !COMMON.contains(name))
            .map("`%s`"::formatted)
            .collect(Collectors.joining(", "));
    String effect = String.join(" ", spec.usageMessage().description()).replace("%%", "%");
    return "| `%s%s` | %s | %s |\n"
        .formatted(spec.qualifiedName(), arguments, effect.replace("|", "\\|"), options);
  }
}
