package io.weir.whole.languages;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.testkit.CommandRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A language that has examples. Its tests are skipped where its program is missing. */
enum Language {
  PYTHON("python3", "", "python/check.py"),
  GO("go", "run", "go/check/check.go"),
  NODE("node", "", "node/check.mjs"),
  PHP("php", "", "php/check.php"),
  RUBY("ruby", "", "ruby/check.rb"),
  DOTNET("dotnet", "run", "dotnet/check.cs");

  static final Path EXAMPLES =
      Path.of("../../examples/languages").toAbsolutePath().normalize();

  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final String command;
  private final String verb;
  private final String snippet;

  Language(String command, String verb, String snippet) {
    this.command = command;
    this.verb = verb;
    this.snippet = snippet;
  }

  /** Its example of a check. */
  Path snippet() {
    return EXAMPLES.resolve(snippet);
  }

  /** Runs a program of this language. */
  CommandRun run(Map<String, String> environment, Path program, String... arguments) {
    String version = this == GO ? "version" : "--version";
    assumeTrue(CommandRun.of(TIMEOUT, command, version).succeeded(), "not here: " + command);
    List<String> whole =
        new ArrayList<>(verb.isEmpty() ? List.of(command) : List.of(command, verb));
    whole.add(program.toString());
    whole.addAll(List.of(arguments));
    return CommandRun.of(TIMEOUT, environment, whole);
  }
}
