package io.weir.core.throttle;

/**
 * The result of ending a hold.
 *
 * @param isRepeated whether it had ended before
 * @param cost the final charge, in the operations of the request
 * @param isCapped whether a bucket owes less than that, because it cannot count more
 */
public record Ended(Status status, boolean isRepeated, long cost, boolean isCapped) {

  /** An end whose whole cost is owed. */
  public Ended(Status status, boolean isRepeated, long cost) {
    this(status, isRepeated, cost, false);
  }

  /** The final status of a hold. The order is that of {@code lua/lib/codes.lua}. */
  public enum Status {
    /** The hold is unknown, or forgotten. */
    UNKNOWN_HOLD("unknown"),
    /** The actual cost was charged. */
    SETTLED("settled"),
    /** All was given back. */
    CANCELLED("cancelled"),
    /** It was not settled in time. */
    EXPIRED("expired"),
    /** Nothing was reserved; its permits are free. */
    RELEASED("released"),
    /** Its lease has not ended. */
    OPEN("open");

    private final String word;

    Status(String word) {
      this.word = word;
    }

    /** The status of a script's code. */
    public static Status of(int code) {
      return values()[code];
    }

    /** The name in answers. */
    public String word() {
      return word;
    }
  }
}
