package io.weir.providers.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/**
 * The positions of one node in the queue of an upstream. A key may have half of them and a tenant three quarters; a key
 * or tenant that waits alone may use all. Positions beyond its part are lent: the newest one is taken back for a caller
 * that needs one within its own part. Safe for use by many threads.
 */
final class QueueCapacity {
  private static final int QUARTERS = 4;

  private final int most;
  private final int ofKey;
  private final int ofTenant;
  private final Map<String, Integer> byKey = new HashMap<>();
  private final Map<String, Integer> byTenant = new HashMap<>();
  private final Deque<Position> lent = new ArrayDeque<>();
  private int taken;

  QueueCapacity(int most) {
    int least = Math.min(1, most);
    this.most = most;
    this.ofKey = Math.max(least, most / 2);
    this.ofTenant = Math.max(least, most * (QUARTERS - 1) / QUARTERS);
  }

  synchronized int taken() {
    return taken;
  }

  /**
   * Takes a position; empty if there is none for this caller.
   *
   * @param displaced runs, on any thread, if the position was lent and is taken back
   */
  synchronized Optional<Position> take(String key, String tenant, Runnable displaced) {
    boolean isOwn = of(byKey, key) < ofKey && of(byTenant, tenant) < ofTenant;
    boolean isFree = isOwn ? taken < most || displace() : taken < most && isAlone(key, tenant);
    if (!isFree) {
      return Optional.empty();
    }
    Position position = new Position(key, tenant, displaced);
    if (!isOwn) {
      lent.addLast(position);
    }
    add(position, 1);
    return Optional.of(position);
  }

  // A key beyond its part is alone if it has all taken positions; within its part, if its tenant
  // has
  // them.
  private boolean isAlone(String key, String tenant) {
    return taken == (of(byKey, key) < ofKey ? of(byTenant, tenant) : of(byKey, key));
  }

  private boolean displace() {
    for (Iterator<Position> newest = lent.descendingIterator(); newest.hasNext(); ) {
      Position position = newest.next();
      newest.remove();
      if (of(byKey, position.key) > ofKey || of(byTenant, position.tenant) > ofTenant) {
        position.isFreed = true;
        add(position, -1);
        position.displaced.run();
        return true;
      }
    }
    return false;
  }

  private void add(Position position, int change) {
    taken += change;
    byKey.merge(position.key, change, QueueCapacity::sum);
    byTenant.merge(position.tenant, change, QueueCapacity::sum);
  }

  private static int of(Map<String, Integer> all, String one) {
    return all.getOrDefault(one, 0);
  }

  @SuppressWarnings("NullAway") // null removes the entry
  private static Integer sum(Integer before, Integer more) {
    int sum = before + more;
    return sum == 0 ? null : sum;
  }

  /** A position that was taken. Safe for use by many threads. */
  final class Position {
    private final String key;
    private final String tenant;
    private final Runnable displaced;
    private boolean isFreed;

    private Position(String key, String tenant, Runnable displaced) {
      this.key = key;
      this.tenant = tenant;
      this.displaced = displaced;
    }

    /** Frees the position; a second call does nothing. */
    void free() {
      synchronized (QueueCapacity.this) {
        if (!isFreed) {
          isFreed = true;
          lent.remove(this);
          add(this, -1);
        }
      }
    }
  }
}
