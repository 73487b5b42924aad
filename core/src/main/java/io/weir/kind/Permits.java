package io.weir.kind;

import io.weir.bucket.Scope;

/**
 * So many requests at once. Each holds one permit, an entry of its own that expires; {@code lua/lib/permit.lua} says the
 * same to Redis. The wait of a denial is an estimate: the k-th caller in excess is told the k-th release to come, by the
 * moving average of the time between releases.
 *
 * @param limit how many are held at once, 1 to {@link #MAX_LIMIT}
 * @param leaseMicros how long a permit is held that nobody renews
 */
public record Permits(String name, Scope scope, long limit, long leaseMicros)
    implements KindDemand {

  /** The largest limit. */
  public static final long MAX_LIMIT = 1_000_000;

  /** The wait where nobody has seen a release yet. */
  static final long UNKNOWN_INTERVAL_US = 1_000_000;

  /** The longest time between releases that is counted, and how far ahead callers are told to come. */
  static final long FURTHEST_US = 30_000_000;

  /** How long after the last change the entries and the average are kept. */
  public static final long KEPT_US = 3_600_000_000L;

  private static final long WEIGHT = 8;

  public Permits {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit: %d (expected: 1 to %d)".formatted(limit, MAX_LIMIT));
    }
  }

  /** The same with another limit. */
  public Permits withLimit(long permits) {
    return new Permits(name, scope, permits, leaseMicros);
  }

  @Override
  public Kind kind() {
    return Kind.PERMIT;
  }

  @Override
  public long counted(long cost) {
    return 1;
  }

  @Override
  public long quota() {
    return limit;
  }

  @Override
  public Standing standing(Counter stored, Asked asked) {
    long now = asked.nowMicros();
    long interval = stored.number(2) == 0 ? UNKNOWN_INTERVAL_US : stored.number(2);
    long told = Math.max(now, stored.number(3)) + interval;
    long next = told - now > FURTHEST_US ? now + interval : told;
    boolean hasRoom = asked.held() < limit;
    return new Standing(
        hasRoom ? Standing.ROOM : next - now,
        asked.held(),
        hasRoom ? 0 : next - now,
        false,
        kept(stored, now),
        hasRoom
            ? stored
            : Counter.of(until(stored, now), stored.number(1), stored.number(2), next));
  }

  /** What is stored once a permit was given back. */
  public static Counter released(Counter stored, long nowMicros) {
    long before = stored.number(1);
    long passed = Math.max(0, Math.min(FURTHEST_US, nowMicros - before));
    long average =
        stored.number(2) == 0 ? passed : (stored.number(2) * (WEIGHT - 1) + passed) / WEIGHT;
    return Counter.of(
        until(stored, nowMicros), nowMicros, before == 0 ? 0 : average, stored.number(3));
  }

  @Override
  public String words(long nowMicros) {
    return "%d %d".formatted(limit, leaseMicros);
  }

  private static Counter kept(Counter stored, long now) {
    return Counter.of(until(stored, now), stored.number(1), stored.number(2), stored.number(3));
  }

  // Set anew seldom, so that the entries' time to live is, too.
  private static long until(Counter stored, long now) {
    long until = stored.untilMicros();
    return until - now > KEPT_US / 2 ? until : now + KEPT_US;
  }
}
