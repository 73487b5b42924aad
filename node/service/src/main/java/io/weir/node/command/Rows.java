package io.weir.node.command;

import java.io.PrintWriter;
import java.util.Map;

/** Prints names and values in two columns, of which the second one is wrapped. */
final class Rows {
  private Rows() {}

  static void print(Map<String, String> fields, PrintWriter out) {
    int width = fields.keySet().stream().mapToInt(String::length).max().orElse(1);
    fields.forEach((name, value) -> out.println(Wrapped.named(name, width + 2, value)));
  }
}
