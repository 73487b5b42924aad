package io.weir.demo.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class DemoCommandsTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void everyCommandTellsItsVersionAndItsUse() {
    for (String command : List.of("node", "policy", "key", "inspect", "up", "demo")) {
      assertThat(run(command, "--help")).isZero();
      assertThat(run(command, "--version")).isZero();
    }
    assertThat(out.toString()).contains("weir ").doesNotContain("Exception");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void vectorsAreReplayedAndADifferenceFails(@TempDir Path folder) throws IOException {
    String policy = "src/test/resources/vectors/design-doc-buckets.json";
    String vectors = "src/test/resources/vectors/design-doc.jsonl";
    assertThat(run("replay-vectors", policy, vectors)).isZero();
    assertThat(out.toString()).contains("memory: 600 decisions, 0 differences");
    Path changed = folder.resolve("changed.jsonl");
    Files.writeString(
        changed,
        Files.readString(Path.of(vectors)).replaceFirst("\"allow\":true", "\"allow\":false"));
    assertThat(run("replay-vectors", policy, changed.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("600 decisions, 1 differences");
    assertThat(run("replay-vectors", "--store", "paper", policy, vectors)).isEqualTo(2);
  }

  @Test
  void aDemoWithoutAClusterSaysWhatToDo(@TempDir Path folder) {
    assertThat(run("demo", "--directory", folder.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("no cluster runs here", "scripts/up --detach");
  }

  private int run(String... arguments) {
    CommandLine line = DemoCommands.commandLine(Map.of());
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }
}
