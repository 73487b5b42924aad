package io.weir.state.connection;

import io.weir.core.throttle.Held;
import io.weir.state.wire.RedisKeys;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When this node last gave something back: permits by their limit, usage by its subject. Limits that share a
 * slot only cost an extra call. Bounded; safe for use by many threads.
 */
public final class Returns {
  private static final int SLOTS = 1 << 12;

  private final AtomicLongArray lastNanos = new AtomicLongArray(SLOTS);

  public Returns() {
    long now = System.nanoTime();
    for (int i = 0; i < SLOTS; i++) {
      lastNanos.setPlain(i, now);
    }
  }

  /** Records that all of a hold is free. */
  public void ended(Held held) {
    long now = System.nanoTime();
    held.permits()
        .forEach(permit -> lastNanos.set(
            slot(RedisKeys.state(permit.scope(), held.tenant(), held.subject()), permit.name()),
            now));
    if (held.reserves()) {
      refunded(held.tenant(), held.subject());
    }
  }

  /** Records that a subject got back some of its usage. */
  public void refunded(String tenant, String subject) {
    lastNanos.set(slot(RedisKeys.key(tenant, subject), ""), System.nanoTime());
  }

  public long lastNanos(int slot) {
    return lastNanos.get(slot);
  }

  /** The slot of a limit; without a name, the slot of all usage of a subject. */
  public static int slot(String state, String limit) {
    int hash = 31 * state.hashCode() + limit.hashCode();
    return (hash ^ hash >>> 12) & SLOTS - 1;
  }
}
