package io.weir.insight.replay;

import java.util.Optional;

/** A form of lines. Mutable, for one thread: it remembers the last moment that it read. */
interface LineFormat {
  /** The request of a line; empty if the line has another form. */
  Optional<LogLine> read(String line);

  /** Whether moments are whole seconds. */
  boolean isOfWholeSeconds();
}
