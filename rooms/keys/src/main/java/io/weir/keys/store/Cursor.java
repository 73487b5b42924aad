package io.weir.keys.store;

/**
 * A place in the list of changes.
 *
 * @param epoch names the list; empty if there is none yet
 * @param seq the number of the last change
 */
public record Cursor(String epoch, long seq) {
  /** Before the first change. */
  public static final Cursor START = new Cursor("", -1);
}
