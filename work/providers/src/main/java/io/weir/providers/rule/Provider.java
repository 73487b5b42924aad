package io.weir.providers.rule;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One of several servers with the same service.
 *
 * @param uri scheme {@code http} or {@code https}, host and optional port; no path
 * @param groups the groups of operations that it serves; empty for all
 * @param keys our API keys; empty if it needs none: then it has one slot
 */
public record Provider(
    String name, URI uri, Rank rank, Load load, Set<String> groups, List<KeySlot> keys) {

  /**
   * Its rank among the providers of its upstream.
   *
   * @param tier lower tiers are used first
   * @param weight its share of the requests relative to others of its tier
   */
  public record Rank(int tier, int weight) {}

  /**
   * The load that it takes at most.
   *
   * @param maxInflight requests in flight to it; 0 for three quarters of the upstream's limit, unless it is the only one
   * @param intervalMicros the time between two requests with one key, 0 for none
   */
  public record Load(int maxInflight, long intervalMicros) {}

  public Provider {
    groups = Set.copyOf(groups);
    keys = List.copyOf(keys);
  }

  /** Whether it serves operations of this group. */
  public boolean serves(String group) {
    return groups.isEmpty() || groups.contains(group);
  }

  /** The provider with the available keys; empty if it needs one and none is available. */
  Optional<Provider> withKeys(Predicate<KeySlot> isHere) {
    List<KeySlot> usable = keys.stream().filter(isHere).toList();
    return usable.isEmpty() && !keys.isEmpty()
        ? Optional.empty()
        : Optional.of(new Provider(name, uri, rank, load, groups, usable));
  }

  Provider withSlot(String slot) {
    List<KeySlot> one = keys.stream().filter(key -> key.name().equals(slot)).toList();
    return new Provider(name, uri, rank, load, groups, one);
  }

  /** The key of this name. */
  public Optional<KeySlot> key(String key) {
    return keys.stream().filter(one -> one.name().equals(key)).findFirst();
  }

  /** The names of its slots: those of its keys, or one slot without a key. */
  public List<String> slots() {
    return keys.isEmpty() ? List.of("-") : keys.stream().map(KeySlot::name).toList();
  }
}
