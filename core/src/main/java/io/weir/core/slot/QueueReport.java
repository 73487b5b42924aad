package io.weir.core.slot;

/**
 * The effects of a decision on a queue.
 *
 * @param returned the result for the place that the caller came back to
 * @param made whether a new place was made
 */
public record QueueReport(Returned returned, boolean made) {

  /** No queue was changed. */
  public static final QueueReport NONE = new QueueReport(Returned.NOT, false);

  /** The result for a place. The order is that of {@code lua/lib/codes.lua}. */
  public enum Returned {
    /** The caller had no place. */
    NOT,
    /** The caller came before its slot and got the same wait again. */
    EARLY,
    /** The caller came in time, and its place was for it. */
    KEPT,
    /** The caller came too late: its place is gone. */
    LATE,
    /** The ticket is unknown: forged, used, of another caller or request, or forgotten. */
    UNKNOWN,
    /** The caller came in time, but another bucket had no room. */
    BROKEN;

    /** The value of a script's code. */
    public static Returned of(long code) {
      return values()[Math.toIntExact(code)];
    }
  }
}
