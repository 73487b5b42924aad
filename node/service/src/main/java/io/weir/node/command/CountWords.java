package io.weir.node.command;

/** Numbers of things as people name them: {@code 1 node}, {@code 2 nodes}. */
public final class CountWords {
  private CountWords() {}

  /** A number of things, such as {@code 2 nodes}. */
  public static String of(long count, String thing) {
    return count + " " + things(count, thing);
  }

  /** The name of so many things, without their number. */
  public static String things(long count, String thing) {
    return count == 1 ? thing : thing + "s";
  }
}
