package io.weir.node.gateway;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.decision.Decision;
import io.weir.core.throttle.PolicySource;
import io.weir.core.upstream.Providers;
import io.weir.node.admission.Asked;
import io.weir.node.gateway.Forwarder.End;
import io.weir.node.metrics.ProviderMeters;
import io.weir.node.provider.KeysHere;
import io.weir.node.provider.ProviderGate;
import io.weir.node.provider.ProviderLessons;
import io.weir.node.provider.RetryBudget;
import io.weir.node.provider.RetryBudgets;
import io.weir.node.usage.Usage;
import java.util.Optional;

/**
 * Sends requests to the providers of an upstream: to a provider that is usable now, with one of our keys, and to
 * another one if that fails and repeating is safe. Owned by one event loop.
 */
public final class ProviderForwarder {
  private final Parts parts;
  private final RetryBudgets budgets;

  /** The shared parts that each request needs. */
  record Parts(
      Vertx vertx,
      Forwarder forwarder,
      ProviderGate gate,
      ProviderLessons lessons,
      ProviderMeters meters,
      KeysHere keys,
      Usables usables) {}

  /**
   * A forwarder for one event loop.
   *
   * @param budgets of the whole node
   * @param keys the provider keys that this node has
   */
  public ProviderForwarder(
      Vertx vertx,
      Forwarder forwarder,
      ProviderGate gate,
      ProviderLessons lessons,
      ProviderMeters meters,
      RetryBudgets budgets,
      KeysHere keys,
      PolicySource policies) {
    this.budgets = budgets;
    this.parts =
        new Parts(vertx, forwarder, gate, lessons, meters, keys, new Usables(policies, keys));
  }

  /** Forwards a paused request, and answers it. */
  Future<End> forward(
      HttpServerRequest request,
      Optional<Buffer> body,
      Asked asked,
      Decision decision,
      Optional<Usage> usage) {
    return new ProviderExchange(
            parts,
            request,
            body,
            asked,
            decision,
            usage,
            budget(asked.providers().orElseThrow()))
        .attempt();
  }

  /**
   * Sends a request whose body is there, and reads the whole answer.
   *
   * @return fails with {@link io.weir.node.answer.RefusedException}, {@link Forwarder.NotSentException} or the I/O
   *     error
   */
  public <T> Future<T> send(ProviderAttempts.Whole<T> request) {
    RetryBudget budget = budget(request.asked().providers().orElseThrow());
    return new ProviderAttempts<>(parts, budget, request).attempt();
  }

  // Each request earns a fraction of a retry.
  private RetryBudget budget(Providers upstream) {
    RetryBudget budget = budgets.of(upstream.name());
    budget.earn(upstream.retry().budgetPercent());
    return budget;
  }
}
