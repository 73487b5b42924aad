package io.weir.upstream;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One of the places that serve the same.
 *
 * @param uri scheme {@code http} or {@code https}, host and optional port; no path
 * @param tier the lower ones are asked first
 * @param weight how much of the requests it gets beside others of its tier
 * @param groups the groups of operations that it serves; empty for all
 * @param keys of ours; empty where it wants none: then it has one slot
 * @param maxInflight requests under way to it; 0 for three quarters of the upstream's, where it is not the only one
 * @param intervalMicros the time between two requests by one key, 0 for none
 */
public record Provider(
    String name,
    URI uri,
    int tier,
    int weight,
    int maxInflight,
    Set<String> groups,
    List<KeySlot> keys,
    long intervalMicros) {

  public Provider {
    groups = Set.copyOf(groups);
    keys = List.copyOf(keys);
  }

  /** Whether it serves operations of this group. */
  public boolean serves(String group) {
    return groups.isEmpty() || groups.contains(group);
  }

  /** The same with the keys that are here; nothing where it needs one and none is. */
  Optional<Provider> withKeys(Predicate<KeySlot> isHere) {
    List<KeySlot> usable = keys.stream().filter(isHere).toList();
    return usable.isEmpty() && !keys.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Provider(name, uri, tier, weight, maxInflight, groups, usable, intervalMicros));
  }

  /** The key of this name. */
  public Optional<KeySlot> key(String key) {
    return keys.stream().filter(one -> one.name().equals(key)).findFirst();
  }

  /** The names of its slots: its keys, or one of its own. */
  public List<String> slots() {
    return keys.isEmpty() ? List.of("-") : keys.stream().map(KeySlot::name).toList();
  }
}
