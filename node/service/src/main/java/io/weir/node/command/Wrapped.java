package io.weir.node.command;

/** Text in lines of a width, broken between words. */
public final class Wrapped {
  private Wrapped() {}

  /** The text in lines of at most this width; a word that is longer is broken. */
  public static String text(String text, int width) {
    StringBuilder lines = new StringBuilder();
    int column = 0;
    for (String word : text.split(" ", -1)) {
      if (column > 0 && column + 1 + word.length() > width) {
        lines.append('\n');
        column = 0;
      } else if (column > 0) {
        lines.append(' ');
        column++;
      }
      int begin = 0;
      while (word.length() - begin > width) {
        lines.append(word, begin, begin + width).append('\n');
        begin += width;
      }
      lines.append(word, begin, word.length());
      column += word.length() - begin;
    }
    return lines.toString();
  }

  /** A name and its text, whose further lines begin below the first one. */
  public static String named(String name, int indent, String text) {
    String[] lines = text(text, Math.max(20, Table.WIDTH - indent)).split("\n", -1);
    String begin = name + " ".repeat(Math.max(0, indent - name.length()));
    return begin + String.join(System.lineSeparator() + " ".repeat(indent), lines);
  }
}
