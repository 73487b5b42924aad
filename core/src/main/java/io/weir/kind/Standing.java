package io.weir.kind;

import java.util.ArrayList;
import java.util.List;

/**
 * How a limit stands for one request.
 *
 * @param waitMicros how long until there may be room; {@link #ROOM} where there is, {@link #NEVER} where there never will be
 * @param used how much is used, without the request; the multiplier in thousandths for {@link Kind#CONGESTION}
 * @param resetMicros when it begins anew, from now
 * @param near whether callers are warned of it
 * @param isCharged whether the request is charged here; not where another limit pays in its place
 * @param taken what is stored where the request is admitted
 * @param denied what is stored where this limit denies it
 */
public record Standing(
    long waitMicros,
    long used,
    long resetMicros,
    boolean near,
    boolean isCharged,
    Counter taken,
    Counter denied) {

  /** Instead of a wait, where there is room. */
  public static final long ROOM = -1;

  /** Instead of a wait, where no wait helps. */
  public static final long NEVER = -2;

  /** A limit that pays where it has room. */
  public Standing(
      long waitMicros, long used, long resetMicros, boolean near, Counter taken, Counter denied) {
    this(waitMicros, used, resetMicros, near, true, taken, denied);
  }

  /**
   * Decides which of a limit and the one it overflows to is charged: the first that has room; where neither has, the one
   * that has some first says when.
   */
  public static List<Standing> charged(List<KindDemand> demands, List<Standing> standings) {
    List<Standing> charged = new ArrayList<>(standings);
    for (int i = 1; i < charged.size(); i++) {
      if (demands.get(i).overflow()) {
        Standing first = charged.get(i - 1);
        Standing other = charged.get(i);
        boolean isOther = first.comesAfter(other);
        charged.set(i - 1, isOther ? first.uncharged() : first);
        charged.set(i, isOther ? other : other.uncharged());
      }
    }
    return charged;
  }

  private boolean comesAfter(Standing other) {
    if (hasRoom() || other.isNever()) {
      return false;
    }
    return isNever() || other.waitMicros < waitMicros;
  }

  private Standing uncharged() {
    return new Standing(ROOM, used, resetMicros, near, false, denied, denied);
  }

  /** The same so much later, where nothing but time has passed; what is full stays full. */
  public Standing later(long micros) {
    long wait = waitMicros < 0 ? waitMicros : Math.max(1, waitMicros - micros);
    return new Standing(
        wait, used, Math.max(0, resetMicros - micros), near, isCharged, taken, denied);
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
