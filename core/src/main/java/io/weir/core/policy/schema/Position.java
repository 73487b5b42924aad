package io.weir.core.policy.schema;

/**
 * A position in a text.
 *
 * @param line from 1
 * @param column from 1
 */
public record Position(int line, int column) {
  /** The begin of a text, also for documents that are made without one. */
  public static final Position START = new Position(1, 1);
}
