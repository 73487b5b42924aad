package io.weir.node.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.state.document.PolicyDocuments;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** A policy that a command reads from its input. */
final class PolicyInputTest {
  private final InputStream before = System.in;
  private final StringWriter out = new StringWriter();

  @AfterEach
  void putBack() {
    System.setIn(before);
  }

  private int checked(String text) {
    System.setIn(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    CommandLine line = WeirCommand.commandLine(Map.of(), Optional::empty);
    line.setOut(new PrintWriter(out, true));
    return line.execute("policy", "check", "-");
  }

  @Test
  void aPolicyMayComeFromTheStandardInput() throws IOException {
    assertThat(checked(Files.readString(Path.of("../../examples/small.yaml")))).isZero();
    assertThat(out.toString()).startsWith("standard input: sound; 1 bucket");
  }

  @Test
  void itsProblemsHavePlaces() {
    assertThat(checked("buckets: 5\n")).isEqualTo(1);
    assertThat(out.toString()).contains("standard input:1:10: buckets: error value_invalid");
  }

  @Test
  void anInputThatIsTooLongIsRefused() {
    System.setIn(new ByteArrayInputStream(new byte[PolicyDocuments.MAX_BYTES + 1]));
    assertThatThrownBy(() -> PolicyInput.text(Path.of("-")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("standard input: too long");
  }
}
