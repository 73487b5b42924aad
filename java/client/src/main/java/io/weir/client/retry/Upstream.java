package io.weir.client.retry;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.weir.client.retry.CallOutcome.Standing;
import io.weir.client.retry.RetryLaterException.Reason;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of an upstream: its breaker, its budget and its share of accepted requests. Mutable; safe for use by many
 * threads.
 */
final class Upstream implements UpstreamState {
  private static final long PROBE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String name;
  private final Timekeeper time;
  private final DoubleSupplier random;
  private final Optional<CircuitBreaker> breaker;
  private final Optional<Budget> budget;
  private final Optional<AcceptanceRate> overload;
  private final Duration openFor;
  private final AtomicInteger generation = new AtomicInteger();
  private volatile long openedNanos;
  private volatile long calledNanos;
  private volatile @Nullable Trial probe;

  Upstream(
      String name,
      RetryOptions options,
      Timekeeper time,
      DoubleSupplier random,
      RetryListener listener) {
    this.name = name;
    this.time = time;
    this.calledNanos = time.nanoTime();
    this.random = random;
    this.breaker = options.breaker().map(this::breaker);
    this.budget = options.budget().map(Budget::new);
    this.overload = options.overload().isPresent()
        ? Optional.of(new AcceptanceRate(options.overload().getAsDouble()))
        : Optional.empty();
    this.openFor = options.breaker().map(BreakerOptions::openFor).orElse(Duration.ZERO);
    breaker.ifPresent(it -> it.getEventPublisher().onStateTransition(event -> {
      openedNanos = time.nanoTime();
      generation.incrementAndGet();
      listener.breakerChanged(
          name,
          state(event.getStateTransition().getFromState()),
          state(event.getStateTransition().getToState()));
    }));
  }

  /** Counts a new call, not a retry. */
  void called() {
    calledNanos = time.nanoTime();
    budget.ifPresent(Budget::deposit);
  }

  /** The time since the last call. */
  long idleNanos() {
    return time.nanoTime() - calledNanos;
  }

  /**
   * Permits one attempt.
   *
   * @throws RetryLaterException if it must not be sent now
   */
  Trial enter() throws RetryLaterException {
    long now = time.nanoTime();
    Optional<Trial> acquired = tryAcquire(now);
    if (acquired.isEmpty()) {
      giveUpProbe(now);
      Duration left = openFor.minusNanos(now - openedNanos);
      Duration wait = left.isNegative() ? Duration.ZERO : left;
      String message = "the circuit breaker of %s is open for %d ms; this call was not sent"
          .formatted(name, wait.toMillis());
      throw new RetryLaterException(message, Reason.BREAKER_OPEN, wait);
    }
    Trial permit = acquired.get();
    if (overload.isPresent() && overload.get().refuses(now, random.getAsDouble())) {
      permit.settle(Standing.UNKNOWN);
      String message = name + " rejects most of what is asked of it; this call was not sent";
      throw new RetryLaterException(message, Reason.UPSTREAM_OVERLOADED, Duration.ZERO);
    }
    if (breaker() == BreakerState.HALF_OPEN) {
      probe = permit;
    }
    return permit;
  }

  // Only this method makes the breaker half open: a permit has the generation of the state it was
  // given in.
  private synchronized Optional<Trial> tryAcquire(long now) {
    return breaker.isPresent() && !breaker.get().tryAcquirePermission()
        ? Optional.empty()
        : Optional.of(new Trial(this, generation.get(), now));
  }

  /**
   * Applies the outcome of an attempt. An attempt sent before the breaker changed says nothing about its present state.
   */
  void settled(Trial permit, Standing standing) {
    if (standing == Standing.WELL) {
      overload.ifPresent(it -> it.accepted(time.nanoTime()));
    }
    if (breaker.isEmpty() || permit.generation() != generation.get()) {
      return;
    }
    // This breaker ignores durations.
    switch (standing) {
      case WELL -> breaker.get().onSuccess(0, TimeUnit.NANOSECONDS);
      case ILL -> breaker.get().onError(0, TimeUnit.NANOSECONDS, new IOException(name));
      case BUSY, UNKNOWN -> breaker.get().releasePermission();
    }
  }

  // Otherwise one hanging call would block all others.
  private void giveUpProbe(long now) {
    Trial hung = probe;
    if (hung != null && now - hung.sentNanos() > PROBE_NANOS) {
      hung.settle(Standing.ILL);
    }
  }

  /** Pays for a retry at a time not given by the server. */
  boolean tryPay() {
    return budget.isEmpty() || budget.get().tryWithdraw();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public BreakerState breaker() {
    return breaker.map(it -> state(it.getState())).orElse(BreakerState.CLOSED);
  }

  @Override
  public double budget() {
    return budget.map(Budget::left).orElse(Double.POSITIVE_INFINITY);
  }

  private CircuitBreaker breaker(BreakerOptions options) {
    return CircuitBreaker.of(
        name,
        CircuitBreakerConfig.custom()
            .slidingWindowType(SlidingWindowType.COUNT_BASED)
            .slidingWindowSize(options.failures())
            .minimumNumberOfCalls(options.failures())
            .failureRateThreshold(100)
            .permittedNumberOfCallsInHalfOpenState(1)
            .waitDurationInOpenState(options.openFor())
            .clock(new OnlyOn(time))
            .build());
  }

  private static BreakerState state(State state) {
    return switch (state) {
      case OPEN, FORCED_OPEN -> BreakerState.OPEN;
      case HALF_OPEN -> BreakerState.HALF_OPEN;
      default -> BreakerState.CLOSED;
    };
  }

  /** A clock that does not jump when the time of day does. */
  private static final class OnlyOn extends Clock {
    private final Timekeeper time;

    OnlyOn(Timekeeper time) {
      this.time = time;
    }

    @Override
    public Instant instant() {
      return Instant.EPOCH.plusNanos(time.nanoTime());
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
