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
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Sends requests to the providers of an upstream: to one that may be sent to now, with one of our keys, and to another one
 * where that fails and it is safe. Mutable; owned by one event loop.
 */
public final class ProviderForwarder {
  private static final int MAX_KNOWN = 200;

  private final Parts parts;
  private final Map<String, RetryBudget> budgets = new HashMap<>();
  private final IdentityHashMap<Providers, UsableProviders> usable = new IdentityHashMap<>();

  /** What each request needs on its way. */
  record Parts(
      Vertx vertx,
      Forwarder forwarder,
      ProviderGate gate,
      ProviderLessons lessons,
      ProviderMeters meters,
      KeysHere keys) {}

  /** @param keys those that this node has */
  public ProviderForwarder(
      Vertx vertx,
      Forwarder forwarder,
      ProviderGate gate,
      ProviderLessons lessons,
      ProviderMeters meters,
      KeysHere keys) {
    this.parts = new Parts(vertx, forwarder, gate, lessons, meters, keys);
  }

  /** Forwards a paused request, and answers it. */
  Future<End> forward(
      HttpServerRequest request,
      Optional<Buffer> body,
      Asked asked,
      Decision decision,
      Optional<Usage> usage) {
    UsableProviders usable = usable(asked.providers().orElseThrow());
    RetryBudget budget = budget(usable.upstream());
    return new ProviderExchange(parts, request, body, asked, usable, decision, usage, budget)
        .attempt();
  }

  /**
   * Sends a request whose body is there, and reads the whole answer.
   *
   * @return fails with {@link io.weir.node.answer.RefusedException}, {@link Forwarder.NotSentException} or whatever broke
   */
  public <T> Future<T> send(ProviderAttempts.Whole<T> request) {
    UsableProviders usable = usable(request.asked().providers().orElseThrow());
    return new ProviderAttempts<>(parts, usable, budget(usable.upstream()), request).attempt();
  }

  // Each request earns a part of a retry.
  private RetryBudget budget(Providers upstream) {
    int percent = upstream.retry().budgetPercent();
    RetryBudget budget = budgets.computeIfAbsent(upstream.name(), name -> new RetryBudget(percent));
    budget.earn(percent);
    return budget;
  }

  // By the very object: looked up for each request.
  private UsableProviders usable(Providers upstream) {
    if (usable.size() > MAX_KNOWN) {
      usable.clear(); // of policies before
    }
    return usable.computeIfAbsent(
        upstream, known -> new UsableProviders(parts.keys().of(known), keyHeaders(known)));
  }

  private static Set<String> keyHeaders(Providers upstream) {
    return upstream.all().stream()
        .flatMap(one -> one.keys().stream())
        .map(key -> ForwardedHeaders.plain(key.header()))
        .collect(Collectors.toUnmodifiableSet());
  }
}
