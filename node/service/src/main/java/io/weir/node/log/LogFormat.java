package io.weir.node.log;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The form of a line of the log. */
public enum LogFormat {
  /** As slf4j-simple writes it, with the stack of errors on lines of their own. */
  TEXT,
  /** A JSON object on one line. */
  JSON;

  /** The format with this name. */
  public static Optional<LogFormat> named(String name) {
    return Arrays.stream(values())
        .filter(format -> format.name().toLowerCase(Locale.ROOT).equals(name))
        .findFirst();
  }
}
