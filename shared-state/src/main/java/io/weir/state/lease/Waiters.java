package io.weir.state.lease;

import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The charges that wait for the answer to a report, in their order. Mutable; used by one thread at a time. */
final class Waiters {
  private static final int MOST = 10_000;

  private final Queue<Waiter> waiting = new ArrayDeque<>();

  /**
   * One charge.
   *
   * @param isLook whether the units are given back whatever is decided
   */
  record Waiter(long units, boolean isLook, CompletableFuture<TakeResult> answer) {}

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  int size() {
    return waiting.size();
  }

  /** Adds a charge, or fails it if too many wait. */
  CompletableFuture<TakeResult> add(long units, boolean isLook) {
    if (waiting.size() == MOST) {
      return CompletableFuture.failedFuture(new StoreUnavailableException(
          StoreFault.OVERLOADED, "too many wait for a lease already", null));
    }
    Waiter one = new Waiter(units, isLook, new CompletableFuture<>());
    waiting.add(one);
    return one.answer();
  }

  /** The units that all wait for. */
  long units() {
    return waiting.stream().mapToLong(Waiter::units).sum();
  }

  /** The units that the first waits for; 0 if nobody waits. */
  long firstUnits() {
    Waiter first = waiting.peek();
    return first == null ? 0 : first.units();
  }

  /** The most units that one of them waits for, those that only look apart. */
  long mostUnits() {
    return waiting.stream()
        .filter(one -> !one.isLook())
        .mapToLong(Waiter::units)
        .max()
        .orElse(0);
  }

  /** Removes the first, which has to be there. */
  Waiter next() {
    return waiting.remove();
  }

  /** Ends all, after the lock is released. */
  void endAll(Consumer<CompletableFuture<TakeResult>> how, Steps next) {
    for (Waiter one : waiting) {
      next.add(() -> how.accept(one.answer()));
    }
    waiting.clear();
  }
}
