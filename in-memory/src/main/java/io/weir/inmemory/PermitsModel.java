package io.weir.inmemory;

import io.weir.core.kind.Permits;
import io.weir.core.kind.Standing;

/** The arithmetic of permits. */
record PermitsModel(Permits permits) implements KindModel {
  /** The wait before the first release has been seen. */
  static final long UNKNOWN_INTERVAL_US = 1_000_000;

  /** The longest counted time between releases, and the longest wait given to callers. */
  static final long FURTHEST_US = 30_000_000;

  private static final long WEIGHT = 8;

  @Override
  public LimitStanding standing(Counter stored, ModelRequest asked) {
    long now = asked.nowMicros();
    long interval = stored.number(2) == 0 ? UNKNOWN_INTERVAL_US : stored.number(2);
    long given = Math.max(now, stored.number(3)) + interval;
    long next = given - now > FURTHEST_US ? now + interval : given;
    boolean hasRoom = asked.held() < permits.limit();
    Standing standing = new Standing(
        hasRoom ? Standing.ROOM : next - now, asked.held(), hasRoom ? 0 : next - now, false, true);
    return new LimitStanding(
        standing,
        kept(stored, now),
        hasRoom
            ? stored
            : Counter.of(until(stored, now), stored.number(1), stored.number(2), next));
  }

  /** The counter after a permit was given back. */
  public static Counter released(Counter stored, long nowMicros) {
    long before = stored.number(1);
    long passed = Math.max(0, Math.min(FURTHEST_US, nowMicros - before));
    long average =
        stored.number(2) == 0 ? passed : (stored.number(2) * (WEIGHT - 1) + passed) / WEIGHT;
    return Counter.of(
        until(stored, nowMicros), nowMicros, before == 0 ? 0 : average, stored.number(3));
  }

  private static Counter kept(Counter stored, long now) {
    return Counter.of(until(stored, now), stored.number(1), stored.number(2), stored.number(3));
  }

  // Changed rarely, so that the time to live of the entries is, too.
  private static long until(Counter stored, long now) {
    long until = stored.untilMicros();
    return until - now > Permits.KEPT_US / 2 ? until : now + Permits.KEPT_US;
  }
}
