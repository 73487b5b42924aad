package io.weir.node.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What commands print does not control the terminal. */
final class ShownWriterTest {
  private static final String HOSTILE =
      "\u001b[31m \u009b31m \u009d0;title\u0007 \u202eexe.gnp \u2066 \u061c \u2028 \u2029 \r \u007f";

  private static String written(String... parts) {
    StringWriter out = new StringWriter();
    try (ShownWriter writer = new ShownWriter(new PrintWriter(out))) {
      for (String part : parts) {
        writer.write(part.toCharArray(), 0, part.length());
      }
    }
    return out.toString();
  }

  @Test
  void onlyTheCommandItselfMovesOnTheTerminal() {
    StringWriter out = new StringWriter();
    PrintWriter program = new PrintWriter(out);
    try (ShownPrinter printer = new ShownPrinter(new ShownWriter(program), program, true)) {
      printer.print("1 \r\033[2J");
      printer.rewrite();
      printer.print("2");
      printer.clear();
    }
    assertThat(out.toString()).isEqualTo("1 \\u000d\\u001b[2J\r2\033[H\033[2J");
  }

  @Test
  void whatControlsATerminalIsEscaped() {
    assertThat(written(HOSTILE))
        .isEqualTo("\\u001b[31m \\u009b31m \\u009d0;title\\u0007 \\u202eexe.gnp \\u2066 \\u061c"
            + " \\u2028 \\u2029 \\u000d \\u007f");
    assertThat(ShownWriter.shown(HOSTILE)).isEqualTo(written(HOSTILE));
  }

  @Test
  void textOfAllLanguagesStaysAsItIs() {
    String text = "a\tb\r\nJürgen Ελλάδα 日本 שלום می‌خواهم 👩‍💻 → –\n";
    assertThat(written(text)).isEqualTo(text);
    for (int i = 1; i < text.length(); i++) {
      assertThat(written(text.substring(0, i), text.substring(i))).isEqualTo(text);
    }
  }

  @Test
  void halvesOfPairsAreEscaped() {
    assertThat(written("a\ud83d", "b")).isEqualTo("a\\ud83db");
    assertThat(written("\udc69 \ud83d")).isEqualTo("\\udc69 \\ud83d");
  }

  /** Prints what somebody else has written. */
  @Command(name = "hostile", mixinStandardHelpOptions = true)
  private static final class Hostile implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
      spec.commandLine().getOut().println(HOSTILE);
      spec.commandLine().getErr().println(HOSTILE);
      throw new IllegalArgumentException(HOSTILE);
    }
  }

  @Test
  void eachCommandIsWrittenThisWayAndItsErrors() {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = WeirCommand.commandLine(
            Map.of(), Optional::empty, Optional::empty, List.of(new Hostile()))
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err));
    assertThat(line.execute("hostile")).isEqualTo(1);
    assertThat(line.execute("hostile")).isEqualTo(1);
    String end = System.lineSeparator();
    String once = written(HOSTILE) + end;
    assertThat(out.toString()).isEqualTo(once.repeat(2));
    // Errors are sentences: they continue in the next line.
    assertThat(err.toString()).contains(end + "  ");
    assertThat(err.toString().replace(end + "  ", " ")).isEqualTo(once.repeat(4));
  }
}
