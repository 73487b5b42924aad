package io.weir.client.retry;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.weir.client.retry.RetryLaterException.Reason;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/** What is known of an upstream, and what is spared it. Mutable; safe for use by many threads. */
final class Upstream implements UpstreamState {
  private final String name;
  private final Timekeeper time;
  private final DoubleSupplier random;
  private final Optional<CircuitBreaker> breaker;
  private final Optional<Budget> budget;
  private final Optional<AcceptedShare> overload;
  private final Duration openFor;
  private volatile long openedNanos;

  Upstream(
      String name,
      RetryOptions options,
      Timekeeper time,
      DoubleSupplier random,
      RetryListener listener) {
    this.name = name;
    this.time = time;
    this.random = random;
    this.breaker = options.breaker().map(this::breaker);
    this.budget = options.budget().map(Budget::new);
    this.overload = options.overload().isPresent()
        ? Optional.of(new AcceptedShare(options.overload().getAsDouble()))
        : Optional.empty();
    this.openFor = options.breaker().map(BreakerOptions::openFor).orElse(Duration.ZERO);
    breaker.ifPresent(it -> it.getEventPublisher().onStateTransition(event -> {
      openedNanos = time.nanoTime();
      listener.breakerChanged(
          name,
          state(event.getStateTransition().getFromState()),
          state(event.getStateTransition().getToState()));
    }));
  }

  /** A new call, not a retry. */
  void called() {
    budget.ifPresent(Budget::deposit);
  }

  /** Why a call is better not sent now, if it is; otherwise it counts as sent. */
  Optional<RetryLaterException> refusal() {
    if (overload.isPresent() && overload.get().refuses(time.nanoTime(), random.getAsDouble())) {
      String message = name + " rejects most of what is asked of it; this call was not sent";
      return Optional.of(
          new RetryLaterException(message, Reason.UPSTREAM_OVERLOADED, Duration.ZERO));
    }
    if (breaker.isPresent() && !breaker.get().tryAcquirePermission()) {
      Duration left = openFor.minusNanos(time.nanoTime() - openedNanos);
      Duration wait = left.isNegative() ? Duration.ZERO : left;
      String message = "the circuit breaker of %s is open for %d ms; this call was not sent"
          .formatted(name, wait.toMillis());
      return Optional.of(new RetryLaterException(message, Reason.BREAKER_OPEN, wait));
    }
    return Optional.empty();
  }

  /** What came of a sending. */
  void heard(Outcome outcome, long tookNanos) {
    switch (outcome.standing()) {
      case WELL -> {
        overload.ifPresent(it -> it.accepted(time.nanoTime()));
        breaker.ifPresent(it -> it.onSuccess(tookNanos, TimeUnit.NANOSECONDS));
      }
      case BUSY -> breaker.ifPresent(CircuitBreaker::releasePermission);
      case ILL ->
        breaker.ifPresent(
            it -> it.onError(tookNanos, TimeUnit.NANOSECONDS, new IOException(outcome.reason())));
    }
  }

  /** Nobody waits any more for what was sent. */
  void abandoned() {
    breaker.ifPresent(CircuitBreaker::releasePermission);
  }

  /** Pays for a retry that nobody named a time for. */
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
