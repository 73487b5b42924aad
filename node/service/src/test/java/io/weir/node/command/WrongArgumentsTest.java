package io.weir.node.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What a command answers to arguments that it does not know, and what its help looks like. */
final class WrongArgumentsTest {
  private final StringWriter err = new StringWriter();

  private static CommandLine line() {
    return WeirCommand.commandLine(Map.of(), Optional::empty);
  }

  private List<String> refused(String... arguments) {
    CommandLine line = line();
    line.setErr(new PrintWriter(err, true));
    assertThat(line.execute(arguments)).isEqualTo(2);
    return err.toString().lines().toList();
  }

  @Test
  void aMistypedOptionIsASentenceWithTheNearest() {
    assertThat(refused("node", "--redis-url", "redis://r"))
        .containsExactly("no option '--redis-url' (--redis-uri?): see weir node --help");
  }

  @Test
  void theValueOfAMistypedOptionIsNotPartOfItsName() {
    assertThat(refused("node", "--colour=blue"))
        .containsExactly("no option '--colour': see weir node --help");
  }

  @Test
  void aWrongValueIsASentence() {
    assertThat(String.join(" ", refused("node", "--port=many")))
        .contains("--port", "many")
        .endsWith(": see weir node --help");
    assertThat(err.toString().lines()).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void aMissingArgumentIsASentence() {
    assertThat(refused("policy", "check"))
        .containsExactly("Missing required parameter: 'FILE': see weir policy check --help");
  }

  @Test
  void everyHelpFitsATerminalAndBreaksBetweenWords() {
    all(line()).forEach(command -> {
      String help = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
      String name = command.getCommandSpec().qualifiedName();
      assertThat(help.lines())
          .as(name)
          .allSatisfy(text -> assertThat(text.length()).isLessThanOrEqualTo(80));
      String words = words(help);
      descriptions(command).forEach(text -> assertThat(words).as(name).contains(words(text)));
    });
  }

  private static Stream<CommandLine> all(CommandLine line) {
    return Stream.concat(
        Stream.of(line), line.getSubcommands().values().stream().flatMap(WrongArgumentsTest::all));
  }

  private static Stream<String> descriptions(CommandLine command) {
    CommandLine.Model.CommandSpec spec = command.getCommandSpec();
    return Stream.of(
            Stream.of(spec.usageMessage().description()),
            spec.options().stream().flatMap(option -> Stream.of(option.description())),
            spec.positionalParameters().stream()
                .flatMap(parameter -> Stream.of(parameter.description())))
        .flatMap(texts -> texts);
  }

  // The further lines of a text begin with spaces.
  private static String words(String text) {
    return Stream.of(text.replace("%%", "%").split("\\s+")).collect(Collectors.joining(" "));
  }
}
