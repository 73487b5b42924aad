package io.weir.operators.top;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Values by tenant and name, in bounded memory. A tenant with many values loses its own, the least recently used first; a
 * tenant with few finds room beside it. Mutable; owned by one event loop.
 */
public final class TenantMap<K, V> {
  /** A tenant with no more than these loses none to others as long as one tenant has more. */
  private static final int MOST_OF_QUIET_TENANT = 16;

  private final int most;
  private final int mostOfTenant;
  /** The least recently used ones first. */
  private final Map<String, Map<K, V>> tenants = new LinkedHashMap<>(16, 0.75f, true);

  private int size;

  /** @param most of all tenants; of one a quarter */
  public TenantMap(int most) {
    this.most = most;
    this.mostOfTenant = most / 4;
  }

  /** The value of a key, which becomes the most recently used. */
  public @Nullable V get(String tenant, K key) {
    Map<K, V> own = tenants.get(tenant);
    return own == null ? null : own.get(key);
  }

  /** Adds a key that is not known. */
  public void put(String tenant, K key, V value) {
    Map<K, V> own = tenants.computeIfAbsent(tenant, name -> new LinkedHashMap<>(16, 0.75f, true));
    if (own.size() >= mostOfTenant || (size >= most && own.size() >= MOST_OF_QUIET_TENANT)) {
      removeOldest(own);
    } else if (size >= most) {
      Map.Entry<String, Map<K, V>> idlest = tenants.entrySet().iterator().next();
      removeOldest(idlest.getValue());
      if (idlest.getValue().isEmpty()) {
        tenants.remove(idlest.getKey());
      }
    }
    own.put(key, value);
    size++;
  }

  private void removeOldest(Map<K, V> own) {
    own.remove(own.keySet().iterator().next());
    size--;
  }

  /** Forgets a key. */
  public void remove(String tenant, K key) {
    Map<K, V> own = tenants.get(tenant);
    if (own != null && own.remove(key) != null) {
      size--;
      if (own.isEmpty()) {
        tenants.remove(tenant);
      }
    }
  }

  /** All values; uses none of them. */
  public Stream<V> values() {
    return tenants.values().stream().flatMap(own -> own.values().stream());
  }

  /** How many are known. */
  public int size() {
    return size;
  }
}
