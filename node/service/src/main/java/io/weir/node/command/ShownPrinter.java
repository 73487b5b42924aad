package io.weir.node.command;

import java.io.PrintWriter;
import picocli.CommandLine.Help.Ansi;

/** Prints what a command shows, and moves on the terminal where the command itself does. Mutable; for one thread at a time. */
final class ShownPrinter extends PrintWriter {
  private static final String CLEARED = "\033[H\033[2J";

  private final PrintWriter program;
  private final boolean isTerminal;

  /** @param shown writes to {@code program} */
  ShownPrinter(ShownWriter shown, PrintWriter program) {
    this(shown, program, Ansi.AUTO.enabled());
  }

  ShownPrinter(ShownWriter shown, PrintWriter program, boolean isTerminal) {
    super(shown, true);
    this.program = program;
    this.isTerminal = isTerminal;
  }

  /** Begins an empty screen; a new line where there is no terminal. */
  void clear() {
    move(CLEARED);
  }

  /** Begins the line again, or a new one where there is no terminal. */
  void rewrite() {
    move("\r");
  }

  private void move(String sequence) {
    flush();
    program.print(isTerminal ? sequence : System.lineSeparator());
    program.flush();
  }
}
