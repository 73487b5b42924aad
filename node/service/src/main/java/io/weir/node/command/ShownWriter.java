package io.weir.node.command;

import io.weir.core.bucket.Names;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * Writes what a command prints so that nothing in it controls the terminal: characters that do not show as they are
 * become <code>&#92;uXXXX</code>, which means the same in JSON. Line ends and tabs stay. Mutable; for one thread at a
 * time.
 */
final class ShownWriter extends Writer {
  private static final int NONE = -1;

  private final PrintWriter program;

  /** The character before, if what it is depends on the next one: a return, or the first half of a pair. */
  private int held = NONE;

  /** Writes to the writer of the program, which stays open. */
  ShownWriter(PrintWriter program) {
    this.program = program;
  }

  /** A text as it is printed. */
  static String shown(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints().forEach(one -> append(one, shown));
    return shown.toString();
  }

  private static void append(int codePoint, StringBuilder shown) {
    if (codePoint == '\n' || codePoint == '\t' || Names.isShown(codePoint)) {
      shown.appendCodePoint(codePoint);
    } else {
      for (char half : Character.toChars(codePoint)) {
        shown.append("\\u%04x".formatted((int) half));
      }
    }
  }

  @Override
  public void write(char[] text, int begin, int length) {
    StringBuilder shown = new StringBuilder(length);
    for (int i = begin; i < begin + length; i++) {
      add(text[i], shown);
    }
    program.append(shown);
  }

  private void add(char one, StringBuilder shown) {
    int before = held;
    held = NONE;
    if (before == '\r' && one == '\n') {
      shown.append("\r\n");
    } else if (before != NONE && Character.isSurrogatePair((char) before, one)) {
      append(Character.toCodePoint((char) before, one), shown);
    } else {
      if (before != NONE) {
        append(before, shown);
      }
      hold(one, shown);
    }
  }

  private void hold(char one, StringBuilder shown) {
    if (one == '\r' || Character.isHighSurrogate(one)) {
      held = one;
    } else {
      append(one, shown);
    }
  }

  @Override
  public void flush() {
    program.flush();
  }

  /** Writes what is left. */
  @Override
  public void close() {
    if (held != NONE) {
      program.append(shown(Character.toString(held)));
      held = NONE;
    }
    program.flush();
  }
}
