package io.weir.providers.slot;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.weir.node.upstream.AttemptOutcome.Health;
import io.weir.providers.rule.BreakerRule;
import io.weir.providers.rule.Providers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Judges providers by the attempts of this node, over a sliding window. If a provider fails too often, the whole
 * cluster stops using it: its breaker is open in the shared state, which lets a single probe through. Safe for use by
 * many threads.
 */
public final class Breakers {
  /** A policy has at most half as many. */
  private static final int MOST = 5000;

  private final Map<Judged, CircuitBreaker> breakers = new ConcurrentHashMap<>();

  /** The time of the last answer, by upstream and provider. */
  private final Map<ProviderId, Long> answered = new ConcurrentHashMap<>();

  private record ProviderId(String upstream, String provider) {}

  private record Judged(String upstream, String provider, BreakerRule rule) {}

  /** Counts an attempt; returns for how many microseconds the provider's breaker opens, 0 if it does not. */
  public long count(Providers upstream, String provider, Health health) {
    if (health == Health.NEUTRAL || health == Health.REFUSED) {
      return 0;
    }
    if (breakers.size() > MOST || answered.size() > MOST) {
      breakers.clear(); // most are of earlier policies
      answered.clear();
    }
    BreakerRule rule = upstream.resilience().breaker();
    CircuitBreaker breaker = breakers.computeIfAbsent(
        new Judged(upstream.name(), provider, rule),
        judged -> CircuitBreaker.of(
            upstream.name() + "/" + provider,
            config(rule, Math.min(rule.minCalls(), upstream.least(provider)))));
    // A success, too, may reach the minimum number of calls with which the provider is judged.
    if (health == Health.GOOD) {
      breaker.onSuccess(0, TimeUnit.NANOSECONDS);
    } else {
      breaker.onError(0, TimeUnit.NANOSECONDS, new IllegalStateException("the provider failed"));
    }
    if (breaker.getState() != CircuitBreaker.State.OPEN) {
      return 0;
    }
    breaker.reset(); // the shared state keeps it open
    return rule.openMillis() * 1000;
  }

  /** A provider has begun to answer. */
  void answered(String upstream, String provider, long nowNanos) {
    answered.put(new ProviderId(upstream, provider), nowNanos);
  }

  /**
   * Whether no answer of the provider has begun since a request was sent, for half of the upstream's timeout, or for
   * the attempt's time limit if that is shorter.
   */
  boolean isSilent(Providers upstream, String provider, long sentNanos, long nowNanos) {
    Long last = answered.get(new ProviderId(upstream.name(), provider));
    long attemptMillis = upstream.retry().attemptMillis();
    long patience = TimeUnit.MILLISECONDS.toNanos(upstream.sending().timeoutMillis()) / 2;
    if (attemptMillis > 0) {
      patience = Math.min(patience, TimeUnit.MILLISECONDS.toNanos(attemptMillis));
    }
    return nowNanos - sentNanos >= patience && (last == null || last < sentNanos);
  }

  private static CircuitBreakerConfig config(BreakerRule rule, int minCalls) {
    return CircuitBreakerConfig.custom()
        .failureRateThreshold(rule.failurePercent())
        .minimumNumberOfCalls(minCalls)
        .slidingWindowType(SlidingWindowType.TIME_BASED)
        .slidingWindowSize((int) Math.max(1, rule.windowMillis() / 1000))
        .waitDurationInOpenState(Duration.ofMillis(rule.openMillis()))
        .build();
  }
}
