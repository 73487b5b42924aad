package io.weir.adapters.resilience4j;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.event.RateLimiterOnFailureEvent;
import io.github.resilience4j.ratelimiter.event.RateLimiterOnSuccessEvent;
import io.github.resilience4j.ratelimiter.internal.RateLimiterEventProcessor;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Limit;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.library.AcquireRequest;
import io.weir.library.Weir;
import java.time.Duration;
import java.util.Map;

/**
 * An operation of a subject as a {@link RateLimiter} of resilience4j, for its decorators. The limit is that of the
 * policy, for the whole cluster; the configuration has the longest wait only. Safe for use by many threads.
 *
 * <p>If the shared state is away, and the plan denies then, no permission is given. A subject that the policy does not
 * have, and an operation that takes permits, throw what {@link Weir} says. Each call waits for Redis: on event loops use
 * {@link Weir} itself.
 */
public final class WeirRateLimiter implements RateLimiter {
  private static final long DENIED = -1;

  private final Weir weir;
  private final AcquireRequest request;
  private volatile RateLimiterConfig config;
  private final RateLimiterEventProcessor events = new RateLimiterEventProcessor();

  private WeirRateLimiter(Weir weir, AcquireRequest request, Duration timeout) {
    this.weir = weir;
    this.request = request;
    this.config = RateLimiterConfig.custom().timeoutDuration(timeout).build();
  }

  /** A limiter whose callers wait for their slots at most this long. */
  public static WeirRateLimiter of(Weir weir, String subject, String operation, Duration timeout) {
    return new WeirRateLimiter(weir, AcquireRequest.of(subject, operation), timeout);
  }

  /** Waits for its slot, within the time-out, and takes the permissions. */
  @Override
  public boolean acquirePermission(int permits) {
    return reported(acquired(permits), permits);
  }

  private boolean reported(boolean isAllowed, int permits) {
    if (events.hasConsumers()) {
      events.consumeEvent(
          isAllowed
              ? new RateLimiterOnSuccessEvent(getName(), permits)
              : new RateLimiterOnFailureEvent(getName(), permits));
    }
    return isAllowed;
  }

  private boolean acquired(int permits) {
    try {
      Duration timeout = config.getTimeoutDuration();
      return weir.blocking().acquire(request.cost(permits), timeout) instanceof Allowed;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (StoreUnavailableException e) {
      return false;
    }
  }

  /**
   * Takes the permissions now, or none: who comes at a later slot has to ask again then, so no wait is returned.
   *
   * @return 0 if they were taken, otherwise -1
   */
  @Override
  public long reservePermission(int permits) {
    return reported(taken(permits), permits) ? 0 : DENIED;
  }

  private boolean taken(int permits) {
    try {
      Decision decision = weir.blocking().tryAcquire(request.cost(permits).withoutTicket());
      return decision instanceof Allowed;
    } catch (StoreUnavailableException e) {
      return false;
    }
  }

  @Override
  public void changeTimeoutDuration(Duration timeout) {
    config = RateLimiterConfig.from(config).timeoutDuration(timeout).build();
  }

  /** Unsupported: the policy of the cluster has the limit. */
  @Override
  public void changeLimitForPeriod(int limit) {
    throw new UnsupportedOperationException("the limit is changed in the policy of the cluster");
  }

  /** Unsupported: it would take from all programs of the cluster. */
  @Override
  public void drainPermissions() {
    throw new UnsupportedOperationException("the limit is shared by the cluster");
  }

  @Override
  public String getName() {
    return request.operation();
  }

  @Override
  public RateLimiterConfig getRateLimiterConfig() {
    return config;
  }

  @Override
  public Map<String, String> getTags() {
    return Map.of();
  }

  @Override
  public Metrics getMetrics() {
    return new Metrics() {
      @Override
      public int getNumberOfWaitingThreads() {
        return weir.waiting();
      }

      /** The rest of the fullest limit, as Redis says. */
      @Override
      public int getAvailablePermissions() {
        Decision decision = weir.blocking().peek(request);
        return decision.limits().stream()
            .mapToLong(Limit::remaining)
            .mapToInt(left -> (int) Math.min(Integer.MAX_VALUE, left))
            .min()
            .orElse(decision instanceof Allowed ? Integer.MAX_VALUE : 0);
      }
    };
  }

  @Override
  public EventPublisher getEventPublisher() {
    return events;
  }
}
