package io.weir.core.kind;

/**
 * The state of a limit for one request.
 *
 * @param waitMicros the time until there may be room; {@link #ROOM} if there is room now, {@link #NEVER} if there never
 *     will be
 * @param used the usage without the request; the multiplier in thousandths for {@link Kind#CONGESTION}
 * @param resetMicros the time until its next period begins
 * @param near whether callers are warned of it
 * @param isCharged whether the request is charged here; false if another limit pays instead
 */
public record Standing(
    long waitMicros, long used, long resetMicros, boolean near, boolean isCharged) {

  /** Instead of a wait: there is room. */
  public static final long ROOM = -1;

  /** Instead of a wait: no wait helps. */
  public static final long NEVER = -2;

  /** The state {@code micros} later, if only time has passed; a full limit stays full. */
  public Standing later(long micros) {
    long wait = waitMicros < 0 ? waitMicros : Math.max(1, waitMicros - micros);
    return new Standing(wait, used, Math.max(0, resetMicros - micros), near, isCharged);
  }

  /** Whether the limit admits the request. */
  public boolean hasRoom() {
    return waitMicros == ROOM;
  }

  /** Whether no wait helps. */
  public boolean isNever() {
    return waitMicros == NEVER;
  }
}
