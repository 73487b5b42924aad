package io.weir.providers.slot;

import io.weir.core.throttle.PolicySource;
import io.weir.node.upstream.Course;
import io.weir.node.upstream.OutgoingRequest;
import io.weir.node.upstream.SendSlots;
import io.weir.providers.queue.KeysHere;
import io.weir.providers.queue.ProviderMeters;

/**
 * Gives requests their turns at the providers of upstreams: at a provider that is usable now, with one of our keys.
 * Owned by one event loop.
 */
public final class ProviderSendSlots implements SendSlots {
  private final Parts parts;
  private final RetryBudgets budgets;

  /** The shared parts that each request needs. */
  record Parts(
      ProviderGate gate,
      ProviderLessons lessons,
      ProviderMeters meters,
      KeysHere keys,
      ProviderKeys usables) {}

  /**
   * SendSlots for one event loop.
   *
   * @param budgets of the whole node
   * @param keys the provider keys that this node has
   */
  public ProviderSendSlots(
      ProviderGate gate,
      ProviderLessons lessons,
      ProviderMeters meters,
      RetryBudgets budgets,
      KeysHere keys,
      PolicySource policies) {
    this.budgets = budgets;
    this.parts = new Parts(gate, lessons, meters, keys, new ProviderKeys(policies, keys));
  }

  @Override
  public Course begin(OutgoingRequest request) {
    return new ProviderCourse(parts, request, budgets.of(request.target().to().name()));
  }
}
