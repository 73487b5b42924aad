package io.weir.node.gateway;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.decision.Decision;
import io.weir.node.admission.Asked;
import io.weir.node.gateway.Forwarder.End;
import io.weir.node.metrics.ProviderMeters;
import io.weir.node.provider.KeysHere;
import io.weir.node.provider.ProviderGate;
import io.weir.node.provider.ProviderLessons;
import io.weir.node.provider.RetryBudget;
import io.weir.node.usage.Usage;
import io.weir.upstream.Providers;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Sends requests to the providers of an upstream: to one that may be sent to now, with one of our keys, and to another one
 * where that fails and it is safe. Mutable; owned by one event loop.
 *
 * @param keys those that this node has
 */
public record ProviderForwarder(
    Vertx vertx,
    Forwarder forwarder,
    ProviderGate gate,
    ProviderLessons lessons,
    ProviderMeters meters,
    KeysHere keys,
    Map<String, RetryBudget> budgets) {

  public ProviderForwarder(
      Vertx vertx,
      Forwarder forwarder,
      ProviderGate gate,
      ProviderLessons lessons,
      ProviderMeters meters,
      KeysHere keys) {
    this(vertx, forwarder, gate, lessons, meters, keys, new HashMap<>());
  }

  /** Forwards a paused request, and answers it. */
  Future<End> forward(
      HttpServerRequest request,
      Optional<Buffer> body,
      Asked asked,
      Decision decision,
      Optional<Usage> usage) {
    Providers upstream = keys.of(asked.providers().orElseThrow());
    int percent = upstream.retry().budgetPercent();
    RetryBudget budget = budgets.computeIfAbsent(upstream.name(), name -> new RetryBudget(percent));
    budget.earn(percent);
    return new ProviderExchange(this, request, body, asked, upstream, decision, usage, budget)
        .attempt();
  }
}
