package io.weir.state.lease;

import io.weir.core.fair.FairQueue;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * The calls of a node to the pools of one part of the shared state: so many are under way, and for the others tenants
 * take turns. So one that asks for many pools at once holds up no other, neither here nor in Redis. Each call is
 * answered: one whose turn does not come in time fails. Safe for use by many threads; never blocks.
 */
final class LeaseCalls implements AutoCloseable {
  private static final int MOST_UNDER_WAY = 64;
  private static final int MOST_WAITING_OF_TENANT = 10_000;

  private final Duration waits;
  private final BiFunction<Runnable, Duration, Optional<Future<?>>> later;
  private final FairQueue<String, Waiting<?>> waiting = new FairQueue<>();
  private int underWay;
  private boolean isClosed;

  /**
   * No call yet.
   *
   * @param waits the longest wait for a turn
   * @param later runs a task later, and never at once; empty if that is not possible any more
   */
  LeaseCalls(Duration waits, BiFunction<Runnable, Duration, Optional<Future<?>>> later) {
    this.waits = waits;
    this.later = later;
  }

  /** A call that has no turn yet. */
  private record Waiting<T>(
      Supplier<CompletionStage<T>> call, CompletableFuture<T> answer, AtomicBoolean isOver) {

    boolean mayBegin() {
      return isOver.compareAndSet(false, true);
    }

    void refuse(StoreFault fault, String message) {
      if (mayBegin()) {
        answer.completeExceptionally(new StoreUnavailableException(fault, message, null));
      }
    }
  }

  private enum Admission {
    AT_ONCE,
    LATER,
    TOO_MANY,
    CLOSED
  }

  /** Makes a call in its turn. */
  <T> CompletionStage<T> call(String tenant, Supplier<CompletionStage<T>> call) {
    Waiting<T> mine = new Waiting<>(call, new CompletableFuture<>(), new AtomicBoolean());
    switch (admit(tenant, mine)) {
      case AT_ONCE -> begin(mine);
      case LATER -> {
        Optional<Future<?>> timer = later.apply(() -> refuseLate(tenant, mine), waits);
        CompletionStage<T> unused =
            mine.answer().whenComplete((value, error) -> timer.ifPresent(it -> it.cancel(false)));
      }
      case TOO_MANY ->
        mine.refuse(StoreFault.OVERLOADED, "too many leases of the tenant are asked for already");
      case CLOSED -> mine.refuse(StoreFault.UNREACHABLE, "the connections are closed");
    }
    return mine.answer();
  }

  // No outage: Redis may be well, so that the failure mode of a plan must not let the request pass.
  private void refuseLate(String tenant, Waiting<?> one) {
    synchronized (this) {
      boolean unused = waiting.remove(tenant, one);
    }
    one.refuse(StoreFault.OVERLOADED, "a lease was not asked for in time");
  }

  private synchronized Admission admit(String tenant, Waiting<?> one) {
    if (isClosed) {
      return Admission.CLOSED;
    }
    if (underWay < MOST_UNDER_WAY) {
      underWay++;
      return Admission.AT_ONCE;
    }
    if (waiting.countOf(tenant) >= MOST_WAITING_OF_TENANT) {
      return Admission.TOO_MANY;
    }
    waiting.add(tenant, one);
    return Admission.LATER;
  }

  private <T> void begin(Waiting<T> one) {
    CompletionStage<T> made;
    try {
      made = one.call().get();
    } catch (RuntimeException e) {
      made = CompletableFuture.failedFuture(e);
    }
    CompletionStage<T> unused = made.whenComplete((value, error) -> {
      if (error != null) {
        one.answer().completeExceptionally(error);
      } else {
        one.answer().complete(value);
      }
      beginNext();
    });
  }

  // Not at once: many that fail in a row would fill the stack.
  private void beginNext() {
    next().ifPresent(next -> {
      if (later.apply(() -> begin(next), Duration.ZERO).isEmpty()) {
        next.answer()
            .completeExceptionally(new StoreUnavailableException(
                StoreFault.UNREACHABLE, "the connections are closed", null));
        close();
      }
    });
  }

  private synchronized Optional<Waiting<?>> next() {
    Optional<Waiting<?>> next = waiting.poll();
    while (next.isPresent() && !next.get().mayBegin()) {
      next = waiting.poll();
    }
    underWay -= next.isEmpty() ? 1 : 0;
    return next;
  }

  /** Fails the calls that wait, and all later ones; those under way end by themselves. */
  @Override
  public void close() {
    closed().forEach(one -> one.refuse(StoreFault.UNREACHABLE, "the connections are closed"));
  }

  private synchronized List<Waiting<?>> closed() {
    isClosed = true;
    List<Waiting<?>> left = new ArrayList<>();
    waiting.inTurn().forEachRemaining(left::add);
    return left;
  }
}
