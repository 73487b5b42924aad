package io.weir.node.command;

import java.io.PrintWriter;
import java.util.Map;

/** Prints names and values in two columns. */
final class Rows {
  private Rows() {}

  static void print(Map<String, String> fields, PrintWriter out) {
    int width = fields.keySet().stream().mapToInt(String::length).max().orElse(1);
    fields.forEach((name, value) -> out.printf("%-" + width + "s  %s%n", name, value));
  }
}
