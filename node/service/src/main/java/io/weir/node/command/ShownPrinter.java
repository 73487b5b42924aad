package io.weir.node.command;

import java.io.PrintWriter;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Help.Ansi;

/** Prints what a command shows, and moves on the terminal where the command itself does. Mutable; for one thread at a time. */
public final class ShownPrinter extends PrintWriter {
  private static final String CLEARED = "\033[H\033[2J";

  private final PrintWriter program;
  private final boolean isTerminal;
  private final UnaryOperator<String> form;

  /** @param shown writes to {@code program} */
  ShownPrinter(ShownWriter shown, PrintWriter program) {
    this(shown, program, Ansi.AUTO.enabled());
  }

  ShownPrinter(ShownWriter shown, PrintWriter program, boolean isTerminal) {
    this(shown, program, isTerminal, UnaryOperator.identity());
  }

  private ShownPrinter(
      ShownWriter shown, PrintWriter program, boolean isTerminal, UnaryOperator<String> form) {
    super(shown, true);
    this.program = program;
    this.isTerminal = isTerminal;
    this.form = form;
  }

  /** A printer of sentences for people: each line is printed in as many as fit a terminal. */
  static ShownPrinter ofSentences(ShownWriter shown, PrintWriter program) {
    return new ShownPrinter(shown, program, Ansi.AUTO.enabled(), Wrapped::lines);
  }

  @Override
  public void println(String text) {
    super.println(form.apply(text));
  }

  @Override
  public void println(Object text) {
    println(String.valueOf(text));
  }

  @Override
  @SuppressWarnings("AnnotateFormatMethod") // the JDK's has no annotation
  public PrintWriter format(String format, Object... arguments) {
    super.print(form.apply(format.formatted(arguments)));
    return this;
  }

  /** Begins an empty screen; a new line where there is no terminal. */
  void clear() {
    move(CLEARED);
  }

  /** Begins the line again, or a new one where there is no terminal. */
  public void rewrite() {
    move("\r");
  }

  private void move(String sequence) {
    flush();
    program.print(isTerminal ? sequence : System.lineSeparator());
    program.flush();
  }
}
