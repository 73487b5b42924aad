package io.weir.keys.record;

/**
 * When something was done, and by whom.
 *
 * @param atMillis since the epoch, by Redis's clock
 * @param by the name of an operator
 */
public record Stamp(long atMillis, String by) {
  String text() {
    return atMillis + " " + by;
  }

  static Stamp parse(String text) {
    int blank = text.indexOf(' ');
    return new Stamp(Long.parseLong(text.substring(0, blank)), text.substring(blank + 1));
  }
}
