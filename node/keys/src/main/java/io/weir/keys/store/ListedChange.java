package io.weir.keys.store;

/**
 * A line of the list of changes.
 *
 * @param name of the record: {@code key:<id>}, {@code tenant:<name>}, {@code token:<name>}, or {@code of:<hash>} for
 *     a key without an id in its text
 * @param version that the change gave it
 * @param isRemoval whether there is no such record since then
 */
public record ListedChange(String name, long version, boolean isRemoval) {
  /** The part of the name behind the colon. */
  public String id() {
    return ListedNames.id(name);
  }

  static ListedChange parse(String line) {
    String[] words = line.split(" ", -1);
    return new ListedChange(
        words[0], words.length > 1 ? Long.parseLong(words[1]) : 0, words.length > 2);
  }
}
