package io.weir.providers.rule;

import io.weir.core.policy.Destination;
import io.weir.core.policy.RepeatRule;
import io.weir.core.policy.RetryRule;
import io.weir.core.policy.Upstream;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * An upstream made of providers. Its limits are for all nodes together.
 *
 * @param all the enabled providers, in the order of the policy
 * @param isTiered whether the lowest tier with a free slot gets all requests; otherwise all providers are one tier
 * @param resilience the rules for failures
 */
public record Providers(
    String name,
    List<Provider> all,
    boolean isTiered,
    Bounds bounds,
    Sending sending,
    Resilience resilience)
    implements Destination {

  /**
   * The rules for failures of its providers.
   *
   * @param health its health checks; empty if only requests show failures
   */
  public record Resilience(RetryRule retry, BreakerRule breaker, Optional<HealthRule> health) {}

  public Providers {
    all = List.copyOf(all);
  }

  @Override
  public Upstream settings() {
    return at(all.get(0));
  }

  /** One of the providers as a server to send to. */
  public Upstream at(Provider provider) {
    return new Upstream(
        provider.uri(),
        sending.connectTimeoutMillis(),
        sending.timeoutMillis(),
        sending.maxBodyBytes(),
        sending.honoursIdempotencyKeys());
  }

  @Override
  public RetryRule retry() {
    return resilience.retry();
  }

  @Override
  public long queueMillis() {
    return bounds.queueMillis();
  }

  @Override
  public RepeatRule repeat() {
    return sending.repeat();
  }

  @Override
  public boolean hasGroups() {
    return true;
  }

  /** The providers that serve a group. */
  public List<Provider> serving(String group) {
    return all.stream().filter(provider -> provider.serves(group)).toList();
  }

  /**
   * The lowest limit that requests in flight to a provider can have; its breaker must be able to judge with that many.
   */
  public int least(String provider) {
    int own = named(provider).map(it -> it.load().maxInflight()).orElse(0);
    int all = bounds.adaptive().map(AdaptiveRule::min).orElse(bounds.maxInflight());
    int share = this.all.size() > 1 ? Math.max(1, all * 3 / 4) : all;
    return Math.min(all, own > 0 ? own : share);
  }

  /** The upstream with the available keys; without providers that have none of theirs. */
  public Providers withKeys(Predicate<KeySlot> isHere) {
    List<Provider> usable = all.stream()
        .map(provider -> provider.withKeys(isHere))
        .flatMap(Optional::stream)
        .toList();
    return new Providers(name, usable, isTiered, bounds, sending, resilience);
  }

  /** The provider of this name, if it still exists. */
  public Optional<Provider> named(String provider) {
    return all.stream().filter(one -> one.name().equals(provider)).findFirst();
  }

  /** The upstream with one key slot alone; without any provider if there is no such slot. */
  public Providers only(String provider, String slot) {
    List<Provider> one = named(provider)
        .filter(known -> known.slots().contains(slot))
        .map(known -> known.withSlot(slot))
        .map(List::of)
        .orElse(List.of());
    return new Providers(name, one, isTiered, bounds, sending, resilience);
  }

  /** The number of key slots. */
  public int slots() {
    return all.stream().mapToInt(provider -> provider.slots().size()).sum();
  }
}
