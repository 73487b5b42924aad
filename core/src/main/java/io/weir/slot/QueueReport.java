package io.weir.slot;

/**
 * Counts what a decision did to a queue.
 *
 * @param returned what became of the place the caller came back to
 * @param made whether a new one was made
 * @param lost how many were found that nobody kept
 * @param length how many wait in the queue after this; 0 where nobody looked
 */
public record QueueReport(Returned returned, boolean made, long lost, long length) {

  /** No line was touched. */
  public static final QueueReport NONE = new QueueReport(Returned.NOT, false, 0, 0);

  /** The same for another caller of the same answer: what was lost is counted once. */
  public QueueReport withoutLost() {
    return new QueueReport(returned, made, 0, length);
  }

  /** What became of a place. The order is that of {@code lua/lib/codes.lua}. */
  public enum Returned {
    /** The caller had none. */
    NOT,
    /** It came before its slot, and was told the same again. */
    EARLY,
    /** It came in time and was admitted. */
    KEPT,
    /** It came too late: its place is gone. */
    LATE,
    /** Nobody knows its ticket: forged, used, of another caller or request, or forgotten. */
    UNKNOWN,
    /** It came in time and there was no room: another bucket had none. */
    BROKEN;

    /** The one of a script's code. */
    public static Returned of(long code) {
      return values()[Math.toIntExact(code)];
    }
  }
}
