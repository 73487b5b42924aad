package io.weir.state.degraded;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.event.CircuitBreakerOnStateTransitionEvent;
import io.weir.state.connection.Faults;
import io.weir.state.lane.CallObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A circuit breaker for one part of the shared state, so that no request waits while it is away. The part is away once
 * half of the calls of the last two seconds were not answered. Then a probe each half second checks whether it is back.
 * Safe for use by many threads.
 */
final class OutageBreaker implements CallObserver, AutoCloseable {
  private static final int WINDOW_SECONDS = 2;
  private static final int MIN_CALLS = 3;
  private static final int FAILED_PERCENT = 50;

  private final Supplier<? extends CompletionStage<?>> probe;
  private final CircuitBreaker breaker;
  private final Consumer<Boolean> listener;
  private final Executor nextProbe;
  private volatile boolean isClosed;

  /**
   * @param probe makes a call of almost no cost
   * @param listener receives true when the part goes away, and false when it is back
   */
  OutageBreaker(Supplier<? extends CompletionStage<?>> probe, Consumer<Boolean> listener) {
    this(probe, listener, Duration.ofMillis(500));
  }

  OutageBreaker(
      Supplier<? extends CompletionStage<?>> probe,
      Consumer<Boolean> listener,
      Duration probeEvery) {
    this.probe = probe;
    this.listener = listener;
    this.nextProbe =
        CompletableFuture.delayedExecutor(probeEvery.toMillis(), TimeUnit.MILLISECONDS);
    this.breaker = CircuitBreaker.of(
        "shared-state",
        CircuitBreakerConfig.custom()
            .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.TIME_BASED)
            .slidingWindowSize(WINDOW_SECONDS)
            .minimumNumberOfCalls(MIN_CALLS)
            .failureRateThreshold(FAILED_PERCENT)
            .waitDurationInOpenState(probeEvery)
            .permittedNumberOfCallsInHalfOpenState(1)
            .writableStackTraceEnabled(false)
            .build());
    breaker.getEventPublisher().onStateTransition(this::changed);
  }

  /** Ignores calls that end while the part is away: they began before, or the probe is more accurate. */
  @Override
  public void ended(boolean isAnswered) {
    if (!isAway() && !(isAnswered && wouldOpen())) {
      note(isAnswered);
    }
  }

  // The library judges after each call. An answer that follows failures would begin an outage that
  // has just ended.
  private boolean wouldOpen() {
    int failed = breaker.getMetrics().getNumberOfFailedCalls();
    int calls = failed == 0 ? 0 : breaker.getMetrics().getNumberOfBufferedCalls() + 1;
    return calls >= MIN_CALLS && failed * 100 >= calls * FAILED_PERCENT;
  }

  /** Whether the part is away, as far as is known. */
  boolean isAway() {
    return breaker.getState() != State.CLOSED;
  }

  /** Stops probing. */
  @Override
  public void close() {
    isClosed = true;
  }

  private void changed(CircuitBreakerOnStateTransitionEvent event) {
    State from = event.getStateTransition().getFromState();
    switch (event.getStateTransition().getToState()) {
      case OPEN -> {
        nextProbe.execute(this::beginProbe);
        if (from == State.CLOSED) {
          listener.accept(true);
        }
      }
      case HALF_OPEN -> probe();
      case CLOSED -> listener.accept(false);
      default -> {}
    }
  }

  // The library could do that, too, but would begin to count before the breaker is open: a thread
  // that is paused there for as long leaves it open for ever.
  private void beginProbe() {
    if (!isClosed) {
      breaker.transitionToHalfOpenState();
    }
  }

  private void probe() {
    if (!isClosed && breaker.tryAcquirePermission()) {
      probe
          .get()
          .whenComplete((done, error) -> note(error == null || !Faults.of(error).isOutage()));
    }
  }

  private void note(boolean isAnswered) {
    if (isAnswered) {
      breaker.onSuccess(0, breaker.getTimestampUnit());
    } else {
      breaker.onError(0, breaker.getTimestampUnit(), new UnansweredException());
    }
  }

  /** A call that was not answered. */
  private static final class UnansweredException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnansweredException() {
      super("not answered", null, false, false);
    }
  }
}
