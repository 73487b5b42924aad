package io.weir.operators.replay;

/** A form of lines. Mutable, for one thread: it remembers the last moment that it read. */
interface LineFormat {
  /** The request of a line, or why there is none in it. */
  LineReading read(String line);
}
