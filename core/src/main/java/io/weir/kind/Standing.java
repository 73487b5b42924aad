package io.weir.kind;

/**
 * How a limit stands for one request.
 *
 * @param waitMicros how long until there may be room; {@link #ROOM} where there is, {@link #NEVER} where there never will be
 * @param used how much is used, without the request; the multiplier in thousandths for {@link Kind#CONGESTION}
 * @param resetMicros when it begins anew, from now
 * @param near whether callers are warned of it
 * @param taken what is stored where the request is admitted
 * @param denied what is stored where this limit denies it
 */
public record Standing(
    long waitMicros, long used, long resetMicros, boolean near, Counter taken, Counter denied) {

  /** Instead of a wait, where there is room. */
  public static final long ROOM = -1;

  /** Instead of a wait, where no wait helps. */
  public static final long NEVER = -2;

  /** Whether it does not stand in the way. */
  public boolean hasRoom() {
    return waitMicros == ROOM;
  }

  /** Whether no wait helps. */
  public boolean isNever() {
    return waitMicros == NEVER;
  }
}
