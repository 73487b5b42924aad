package io.weir.state.lease;

import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.turn.FairTurns;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The calls of a node to the pools: so many are under way, and for the others tenants take turns. So one that asks for
 * many pools at once holds up no other, neither here nor in Redis. Safe for use by many threads; never blocks.
 */
final class LeaseCalls {
  private static final int MOST_UNDER_WAY = 64;
  private static final int MOST_WAITING_OF_TENANT = 10_000;

  private final Executor executor;
  private final FairTurns<String, Runnable> waiting = new FairTurns<>();
  private int underWay;

  /** @param executor begins a call that has waited; never at once, however many fail in a row */
  LeaseCalls(Executor executor) {
    this.executor = executor;
  }

  /** Makes a call in its turn; fails if too many of the tenant wait already. */
  <T> CompletionStage<T> call(String tenant, Supplier<CompletionStage<T>> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Runnable begin = () -> call.get().whenComplete((value, error) -> {
      beginNext();
      if (error != null) {
        answer.completeExceptionally(error);
      } else {
        answer.complete(value);
      }
    });
    switch (admit(tenant, begin)) {
      case AT_ONCE -> begin.run();
      case LATER -> {}
      case NEVER ->
        answer.completeExceptionally(new StoreUnavailableException(
            StoreFault.OVERLOADED, "too many leases of the tenant are asked for already", null));
    }
    return answer;
  }

  private enum Turn {
    AT_ONCE,
    LATER,
    NEVER
  }

  private synchronized Turn admit(String tenant, Runnable begin) {
    if (underWay < MOST_UNDER_WAY) {
      underWay++;
      return Turn.AT_ONCE;
    }
    if (waiting.countOf(tenant) >= MOST_WAITING_OF_TENANT) {
      return Turn.NEVER;
    }
    waiting.add(tenant, begin);
    return Turn.LATER;
  }

  private void beginNext() {
    ended().ifPresent(executor::execute);
  }

  private synchronized Optional<Runnable> ended() {
    Optional<Runnable> next = waiting.poll();
    if (next.isEmpty()) {
      underWay--;
    }
    return next;
  }
}
