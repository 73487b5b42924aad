package io.weir.upstream;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * An upstream that is made of providers. What it may take is for all nodes together.
 *
 * @param all in the order of the policy, those that are enabled
 * @param isTiered whether the lowest tier with a free slot gets all; else all are one tier
 * @param health how they are asked whether they are well; empty where only requests tell
 */
public record Providers(
    String name,
    List<Provider> all,
    boolean isTiered,
    Bounds bounds,
    Sending sending,
    RetryRule retry,
    BreakerRule breaker,
    Optional<HealthRule> health) {

  public Providers {
    all = List.copyOf(all);
  }

  /** Those that serve a group. */
  public List<Provider> serving(String group) {
    return all.stream().filter(provider -> provider.serves(group)).toList();
  }

  /** As many requests as may be under way to a provider, however few that are: by then its breaker has to judge. */
  public int least(String provider) {
    int own = named(provider).map(Provider::maxInflight).orElse(0);
    int all = bounds.adaptive().map(AdaptiveRule::min).orElse(bounds.maxInflight());
    int share = this.all.size() > 1 ? Math.max(1, all * 3 / 4) : all;
    return Math.min(all, own > 0 ? own : share);
  }

  /** The same with the keys that are here; without a provider of which none is. */
  public Providers withKeys(Predicate<KeySlot> isHere) {
    List<Provider> usable = all.stream()
        .map(provider -> provider.withKeys(isHere))
        .flatMap(Optional::stream)
        .toList();
    return new Providers(name, usable, isTiered, bounds, sending, retry, breaker, health);
  }

  /** The one of this name, if it is still there. */
  public Optional<Provider> named(String provider) {
    return all.stream().filter(one -> one.name().equals(provider)).findFirst();
  }

  /** How many key slots there are. */
  public int slots() {
    return all.stream().mapToInt(provider -> provider.slots().size()).sum();
  }
}
