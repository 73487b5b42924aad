package io.weir.node.command;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Text in lines of a width, broken between words. */
public final class Wrapped {
  private static final int INDENT = 2;
  private static final int MOST_INDENT = 20;

  private Wrapped() {}

  /**
   * Sentences as they are printed, in lines that fit a terminal; the further lines of one begin two columns farther in.
   */
  public static String lines(String text) {
    return Stream.of(text.split("\r?\n", -1))
        .map(line -> fitting(ShownWriter.shown(line)))
        .collect(Collectors.joining(System.lineSeparator()));
  }

  private static String fitting(String line) {
    if (length(line) <= Table.WIDTH) {
      return line;
    }
    int begin = Math.min(MOST_INDENT, line.length() - line.stripLeading().length());
    String further = System.lineSeparator() + " ".repeat(begin + INDENT);
    String wrapped = text(line.strip(), Table.WIDTH - begin - INDENT);
    return " ".repeat(begin) + wrapped.replace("\n", further);
  }

  /** The text in lines of at most this width; a word that is longer is broken. */
  public static String text(String text, int width) {
    StringBuilder lines = new StringBuilder();
    int column = 0;
    for (String word : text.split(" ", -1)) {
      int length = length(word);
      if (column > 0 && column + 1 + length > width) {
        lines.append('\n');
        column = 0;
      } else if (column > 0) {
        lines.append(' ');
        column++;
      }
      int begin = 0;
      for (; length > width; length -= width) {
        int end = word.offsetByCodePoints(begin, width);
        lines.append(word, begin, end).append('\n');
        begin = end;
      }
      lines.append(word, begin, word.length());
      column += length;
    }
    return lines.toString();
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  /** A name and its text, whose further lines begin below the first one. */
  public static String named(String name, int indent, String text) {
    String[] lines = text(text, Math.max(20, Table.WIDTH - indent)).split("\n", -1);
    String begin = name + " ".repeat(Math.max(0, indent - name.length()));
    return begin + String.join(System.lineSeparator() + " ".repeat(indent), lines);
  }
}
