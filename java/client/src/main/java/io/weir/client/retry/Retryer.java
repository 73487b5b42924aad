package io.weir.client.retry;

import io.weir.client.retry.RetryingCall.Watch;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends calls, waits as the answers say, and retries them. It is independent of the protocol. Use one for all calls of
 * a program: it owns the breakers and budgets, one of each per upstream. Safe for use by many threads; blocks none.
 */
public final class Retryer {
  private static final Logger LOG = LoggerFactory.getLogger(Retryer.class);

  static final int MAX_UPSTREAMS = 1000;

  private final RetryOptions options;
  private final Timekeeper time;
  private final DoubleSupplier random;
  private final RetryListener listener;
  private final Watch watch;
  private final Optional<Deadlines> deadlines;
  private final Map<String, Upstream> upstreams = new ConcurrentHashMap<>();

  private Retryer(
      RetryOptions options, Timekeeper time, DoubleSupplier random, RetryListener listener) {
    this.options = options;
    this.time = time;
    this.random = random;
    this.listener = new Guarded(listener);
    this.watch = new Watch(time, this.listener);
    this.deadlines = options.deadline().map(granted -> new Deadlines(time, granted));
  }

  /** A retryer with the system's clock. */
  public static Retryer of(RetryOptions options, RetryListener listener) {
    return of(
        options, Timekeeper.system(), () -> ThreadLocalRandom.current().nextDouble(), listener);
  }

  /**
   * A retryer with another clock.
   *
   * @param random gives numbers from 0 to below 1
   */
  public static Retryer of(
      RetryOptions options, Timekeeper time, DoubleSupplier random, RetryListener listener) {
    return new Retryer(options, time, random, listener);
  }

  /**
   * Makes a call.
   *
   * @return the answer of the last attempt, whatever its status; the failure of the last attempt; or {@link
   *     RetryLaterException}. Cancelling it stops sending and waiting at once.
   */
  public <T> CompletableFuture<T> call(Call<T> call) {
    Upstream upstream = upstreams.get(call.upstream());
    if (upstream == null) {
      makeRoom();
      upstream = upstreams.computeIfAbsent(call.upstream(), this::appeared);
    }
    upstream.called();
    return new RetryingCall<>(call, upstream, options, random, deadlines, watch).begin();
  }

  /** The options of this retryer. */
  public RetryOptions options() {
    return options;
  }

  // A program that calls hosts named by others meets an unlimited number of upstreams.
  private void makeRoom() {
    if (upstreams.size() < MAX_UPSTREAMS) {
      return;
    }
    upstreams.values().stream()
        .max(Comparator.comparingLong(Upstream::idleNanos))
        .ifPresent(idlest -> upstreams.computeIfPresent(idlest.name(), this::forgotten));
  }

  @SuppressWarnings("NullAway") // null removes the entry of the map
  private Upstream forgotten(String name, Upstream upstream) {
    listener.upstreamForgotten(name);
    return null;
  }

  private Upstream appeared(String name) {
    Upstream upstream = new Upstream(name, options, time, random, listener);
    listener.upstreamAppeared(upstream);
    return upstream;
  }

  /** A listener whose exceptions are caught. */
  private record Guarded(RetryListener listener) implements RetryListener {
    @Override
    public void upstreamAppeared(UpstreamState upstream) {
      notifyListener(it -> it.upstreamAppeared(upstream));
    }

    @Override
    public void upstreamForgotten(String upstream) {
      notifyListener(it -> it.upstreamForgotten(upstream));
    }

    @Override
    public void retrying(String upstream, String reason, Duration wait) {
      notifyListener(it -> it.retrying(upstream, reason, wait));
    }

    @Override
    public void exhausted(String upstream, String reason) {
      notifyListener(it -> it.exhausted(upstream, reason));
    }

    @Override
    public void breakerChanged(String upstream, BreakerState from, BreakerState to) {
      LOG.warn("the circuit breaker of {} went from {} to {}", upstream, from, to);
      notifyListener(it -> it.breakerChanged(upstream, from, to));
    }

    private void notifyListener(Consumer<RetryListener> what) {
      try {
        what.accept(listener);
      } catch (Throwable e) { // also for a missing library
        LOG.error("a listener failed", e);
      }
    }
  }
}
