package io.weir.kind;

/**
 * How a limit stands for one request.
 *
 * @param waitMicros how long until there may be room; {@link #ROOM} where there is, {@link #NEVER} where there never will be
 * @param used how much is used, without the request; the multiplier in thousandths for {@link Kind#CONGESTION}
 * @param resetMicros when it begins anew, from now
 * @param near whether callers are warned of it
 * @param isCharged whether the request is charged here; not where another limit pays in its place
 */
public record Standing(
    long waitMicros, long used, long resetMicros, boolean near, boolean isCharged) {

  /** Instead of a wait, where there is room. */
  public static final long ROOM = -1;

  /** Instead of a wait, where no wait helps. */
  public static final long NEVER = -2;

  /** The same so much later, where nothing but time has passed; what is full stays full. */
  public Standing later(long micros) {
    long wait = waitMicros < 0 ? waitMicros : Math.max(1, waitMicros - micros);
    return new Standing(wait, used, Math.max(0, resetMicros - micros), near, isCharged);
  }

  /** Whether it does not stand in the way. */
  public boolean hasRoom() {
    return waitMicros == ROOM;
  }

  /** Whether no wait helps. */
  public boolean isNever() {
    return waitMicros == NEVER;
  }
}
