package io.weir.throttle;

/**
 * What became of a hold.
 *
 * @param isRepeated whether it had ended before
 * @param cost what was charged in the end, in operations as they were asked for
 * @param isCapped whether a bucket owes less than that: as much as it can count
 */
public record Ended(Status status, boolean isRepeated, long cost, boolean isCapped) {

  /** An end of which all is owed. */
  public Ended(Status status, boolean isRepeated, long cost) {
    this(status, isRepeated, cost, false);
  }

  /** How it ended. The order is that of {@code lua/lib/codes.lua}. */
  public enum Status {
    /** Nobody knows it, or no more. */
    UNKNOWN_HOLD("unknown"),
    /** What it cost was charged. */
    SETTLED("settled"),
    /** All was given back. */
    CANCELLED("cancelled"),
    /** Nobody settled it in time. */
    EXPIRED("expired"),
    /** Nothing was reserved: its permits are free. */
    RELEASED("released"),
    /** Its time is not over. */
    OPEN("open");

    private final String word;

    Status(String word) {
      this.word = word;
    }

    /** The one of a script's code. */
    public static Status of(int code) {
      return values()[code];
    }

    /** The word in answers. */
    public String word() {
      return word;
    }
  }
}
