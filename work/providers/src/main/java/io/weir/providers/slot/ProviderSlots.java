package io.weir.providers.slot;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.weir.core.throttle.PolicySource;
import io.weir.node.upstream.SendSlots;
import io.weir.node.upstream.UpstreamSlots;
import io.weir.providers.queue.CurrentUpstreams;
import io.weir.providers.queue.KeysHere;
import io.weir.providers.queue.ProviderMeters;
import io.weir.providers.queue.QueueCapacities;
import io.weir.providers.rule.Upstreams;
import io.weir.providers.store.RedisProviders;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The send slots of one node. Each event loop has one gate, at which the requests that the node sends and those of other
 * programs wait in one queue. Safe for use by many threads.
 */
public final class ProviderSlots implements UpstreamSlots {
  private final PolicySource policies;
  private final RedisProviders store;
  private final ProviderMeters meters;
  private final KeyRests rests;
  private final Breakers breakers = new Breakers();
  private final QueueCapacities places = new QueueCapacities();
  private final RetryBudgets budgets = new RetryBudgets();
  private final KeysHere keys = new KeysHere(System::getenv);
  private final Map<Context, ProviderGate> gates = new ConcurrentHashMap<>();

  public ProviderSlots(
      PolicySource policies, RedisProviders store, ProviderMeters meters, KeyRests rests) {
    this.policies = policies;
    this.store = store;
    this.meters = meters;
    this.rests = rests;
  }

  @Override
  public SendSlots on(Vertx loop) {
    ProviderGate gate = gate(loop);
    return new ProviderSendSlots(gate, lessons(gate), meters, budgets, keys, policies);
  }

  /** The gate of one event loop, always the same. Called on that loop. */
  public ProviderGate gate(Vertx loop) {
    return gates.computeIfAbsent(
        loop.getOrCreateContext(),
        context -> new ProviderGate(loop, store, places, meters, current()));
  }

  /** The lessons of the requests at a gate. */
  public ProviderLessons lessons(ProviderGate gate) {
    return new ProviderLessons(gate, breakers, rests, meters);
  }

  private CurrentUpstreams current() {
    return new CurrentUpstreams(() -> Upstreams.of(policies.current().policy()), keys);
  }
}
