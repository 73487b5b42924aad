package io.weir.node.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.policy.SecretHash;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class CommandsTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aSoundPolicyIsToldInALine() {
    assertThat(run("policy", "check", "../examples/small.yaml")).isZero();
    assertThat(out.toString()).contains("sound; 1 buckets, 1 plans, 1 subjects");
  }

  @Test
  void aBadPolicyFailsWithEveryProblemAndItsPlace(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("bad.yaml");
    Files.writeString(file, "buckets: 5\ncolour: blue\n");
    assertThat(run("policy", "check", file.toString())).isEqualTo(1);
    assertThat(out.toString())
        .contains(
            "bad.yaml:1: buckets: error value_invalid", "bad.yaml:2: colour: error field_unknown");
  }

  @Test
  void aFileThatIsNotThereIsASentenceAndNoTrace() {
    assertThat(run("policy", "check", "nowhere.yaml")).isEqualTo(1);
    assertThat(err.toString()).isEqualToIgnoringNewLines("nowhere.yaml: there is no such file");
  }

  @Test
  void aNodeThatIsNotThereIsASentenceToo() {
    assertThat(run("policy", "apply", "--node=http://127.0.0.1:1", "../examples/small.yaml"))
        .isEqualTo(1);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines("no node answers at http://127.0.0.1:1: connection refused");
  }

  @Test
  void everyCommandTellsItsVersionAndItsUse() {
    for (String command : List.of("node", "policy", "key", "inspect")) {
      assertThat(run(command, "--help")).isZero();
      assertThat(run(command, "--version")).isZero();
    }
    assertThat(run("--version")).isZero();
    assertThat(out.toString()).contains("weir ").doesNotContain("Exception");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aKeyIsMadeWithTheHashThatBelongsToIt() {
    assertThat(run("key", "k7")).isZero();
    String key = out.toString().lines().findFirst().orElseThrow().replaceFirst("key: +", "");
    String hash =
        out.toString().lines().skip(1).findFirst().orElseThrow().replaceFirst("secretHash: +", "");
    assertThat(key).startsWith("k7.");
    assertThat(SecretHash.parse(hash).matches(key.substring(3))).isTrue();
    assertThat(run("key", "k 7")).isEqualTo(2);
  }

  private int run(String... arguments) {
    CommandLine line = WeirCommand.commandLine(Map.of(), Optional::empty);
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }
}
