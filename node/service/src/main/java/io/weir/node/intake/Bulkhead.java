package io.weir.node.intake;

import io.weir.core.policy.Subject;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Bounds a resource of the node for each key, each tenant and the whole node: connections, memory, requests that are
 * held. Safe for use by many threads.
 */
public final class Bulkhead {
  private final long ofKey;
  private final long ofTenant;
  private final long ofNode;
  private final Map<String, Long> byKey = new HashMap<>();
  private final Map<String, Long> byTenant = new HashMap<>();
  private long taken;

  /** The bounds for one key, for all keys of a tenant, and for the node. */
  public Bulkhead(long ofKey, long ofTenant, long ofNode) {
    this.ofKey = ofKey;
    this.ofTenant = ofTenant;
    this.ofNode = ofNode;
  }

  /** The amount taken. */
  public synchronized long taken() {
    return taken;
  }

  /** A portion of nothing, which can grow. */
  public Portion take(Subject subject) {
    return take(subject.id(), subject.tenant());
  }

  /** The same for a caller that is not a subject. */
  public Portion take(String key, String tenant) {
    return new Portion(key, tenant);
  }

  /** Whether everything is taken. */
  public synchronized boolean isFull() {
    return taken >= ofNode;
  }

  /** Takes an amount for a subject; empty if its bounds leave no room. */
  public Optional<Portion> tryTake(Subject subject, long amount) {
    return tryTake(subject.id(), subject.tenant(), amount);
  }

  /** The same for a caller that is not a subject. */
  public Optional<Portion> tryTake(String key, String tenant, long amount) {
    Portion portion = new Portion(key, tenant);
    return portion.tryGrow(amount) ? Optional.of(portion) : Optional.empty();
  }

  private synchronized boolean tryAdd(String key, String tenant, long amount) {
    if (taken + amount > ofNode
        || byKey.getOrDefault(key, 0L) + amount > ofKey
        || byTenant.getOrDefault(tenant, 0L) + amount > ofTenant) {
      return false;
    }
    add(key, tenant, amount);
    return true;
  }

  private synchronized void add(String key, String tenant, long amount) {
    taken += amount;
    byKey.merge(key, amount, Bulkhead::sum);
    byTenant.merge(tenant, amount, Bulkhead::sum);
  }

  @SuppressWarnings("NullAway") // null removes the entry
  private static Long sum(Long before, Long more) {
    long sum = before + more;
    return sum == 0 ? null : sum;
  }

  /** The amount that one request has taken. Safe for use by many threads. */
  public final class Portion {
    private final String key;
    private final String tenant;
    private long amount;
    private boolean isFreed;

    private Portion(String key, String tenant) {
      this.key = key;
      this.tenant = tenant;
    }

    /** The amount taken so far. */
    public synchronized long amount() {
      return amount;
    }

    /** Takes more; false without any change if there is no room, or the portion was freed. */
    public synchronized boolean tryGrow(long more) {
      if (isFreed || !tryAdd(key, tenant, more)) {
        return false;
      }
      amount += more;
      return true;
    }

    /** Frees everything; a second call does nothing. */
    public synchronized void free() {
      if (!isFreed) {
        isFreed = true;
        add(key, tenant, -amount);
      }
    }
  }
}
