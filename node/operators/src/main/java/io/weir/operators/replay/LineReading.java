package io.weir.operators.replay;

/** The content of a line of a log. Immutable. */
sealed interface LineReading {
  /** A request. */
  record Request(LogLine line) implements LineReading {}

  /**
   * A line of another form.
   *
   * @param reason one of a few texts of the format, without anything of the line
   */
  record Strange(String reason) implements LineReading {}

  /** Part of the frame around the lines, such as the brackets of a JSON array. */
  record Frame() implements LineReading {}
}
