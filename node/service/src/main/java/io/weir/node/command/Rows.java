package io.weir.node.command;

import java.io.PrintWriter;
import java.util.Map;

/**
 * Prints names and values in two columns, of which the second one is wrapped. If a name takes more than half of a
 * line, the values are below their names.
 */
public final class Rows {
  private static final int MOST_NAME = 40;
  private static final int INDENT = 4;

  private Rows() {}

  /** Prints them, in the order of the map. */
  public static void print(Map<String, String> fields, PrintWriter out) {
    int width = fields.keySet().stream().mapToInt(String::length).max().orElse(1);
    fields.forEach((name, value) -> {
      if (width <= MOST_NAME) {
        out.println(Wrapped.named(name, width + 2, value));
      } else {
        out.println(Wrapped.lines(name));
        out.println(Wrapped.named("", INDENT, value));
      }
    });
  }
}
