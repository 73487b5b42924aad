package io.weir.state.degraded;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.weir.state.redis.CallObserver;
import io.weir.state.redis.Faults;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows whether the shared state is away, by how calls to it ended, so that nobody waits for it meanwhile. It is away
 * once half of the last calls were not answered; then a probe in half a second finds out whether it is back. Safe for
 * use by many threads.
 */
public final class OutageBreaker implements CallObserver {
  private static final Logger LOG = LoggerFactory.getLogger(OutageBreaker.class);
  private static final CircuitBreakerConfig CONFIG = CircuitBreakerConfig.custom()
      .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
      .slidingWindowSize(10)
      .minimumNumberOfCalls(5)
      .failureRateThreshold(50)
      .waitDurationInOpenState(Duration.ofMillis(500))
      .permittedNumberOfCallsInHalfOpenState(1)
      .maxWaitDurationInHalfOpenState(Duration.ofSeconds(1))
      .writableStackTraceEnabled(false)
      .build();

  private final CircuitBreaker breaker = CircuitBreaker.of("shared-state", CONFIG);

  private final Supplier<? extends CompletionStage<?>> probe;
  private volatile Consumer<Boolean> listener = isAway -> {};

  /** @param probe asks the shared state for next to nothing */
  public OutageBreaker(Supplier<? extends CompletionStage<?>> probe) {
    this.probe = probe;
    breaker.getEventPublisher().onStateTransition(event -> {
      State to = event.getStateTransition().getToState();
      State from = event.getStateTransition().getFromState();
      if (to == State.OPEN && from == State.CLOSED) {
        LOG.warn("the shared state is away: plans are limited as their failureMode says");
        listener.accept(true);
      } else if (to == State.CLOSED) {
        LOG.info("the shared state answers again");
        listener.accept(false);
      }
    });
  }

  @Override
  public void ended(boolean isAnswered) {
    if (isAnswered) {
      breaker.onSuccess(0, breaker.getTimestampUnit());
    } else {
      breaker.onError(0, breaker.getTimestampUnit(), new UnansweredException());
    }
  }

  /** Tells {@code listener} when the shared state goes away, with true, and when it is back. */
  void onChange(Consumer<Boolean> newListener) {
    listener = newListener;
  }

  /** Whether the shared state is away, as far as is known. */
  public boolean isAway() {
    return breaker.getState() != State.CLOSED;
  }

  /** Whether it may be asked. Where it was away for a while, finds out beside whether it is back. */
  boolean mayAsk() {
    if (breaker.getState() == State.CLOSED) {
      return true;
    }
    if (breaker.tryAcquirePermission()) {
      probe
          .get()
          .whenComplete(
              (done, error) -> ended(error == null || !Faults.of(error).isOutage()));
    }
    return false;
  }

  /** A call that was not answered. */
  private static final class UnansweredException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnansweredException() {
      super("not answered", null, false, false);
    }
  }
}
