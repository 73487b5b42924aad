package io.weir.keys.store;

/**
 * A place in the list of changes.
 *
 * @param epoch names the list; empty if there is none yet
 * @param seq the number of the last change
 * @param version of that change: a list that has another one there is another list
 */
public record Cursor(String epoch, long seq, String version) {
  /** Before the first change. */
  public static final Cursor START = new Cursor("", -1, "0");
}
