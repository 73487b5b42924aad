package io.weir.state.policy;

/**
 * A revision of the policy that is kept.
 *
 * @param atMillis when it was published, by Redis's clock; 0 if that is not known
 * @param by who published it
 * @param comment why, one line, or empty
 * @param bytes the length of its document
 */
public record PastRevision(long revision, long atMillis, String by, String comment, long bytes) {

  /**
   * Reads one.
   *
   * @param listed {@code <revision>:<bytes>}
   * @param about {@code <millisecond> <by> <comment>}, or empty
   */
  static PastRevision of(String listed, String about) {
    int colon = listed.indexOf(':');
    String[] parts = about.split(" ", 3);
    boolean isKnown = parts.length == 3;
    return new PastRevision(
        Long.parseLong(listed.substring(0, colon)),
        isKnown ? Long.parseLong(parts[0]) : 0,
        isKnown ? parts[1] : "",
        isKnown ? parts[2] : "",
        Long.parseLong(listed.substring(colon + 1)));
  }
}
