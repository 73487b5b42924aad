package io.weir.state.policy;

import io.weir.core.policy.PolicyRevision;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.Faults;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Loads the policy, one load at a time: who asks during a load waits for its result. Safe for use by many threads. */
final class Loads {
  // Requests wait for it after a change of policy; limited to the longest wait for Redis.
  private static final long TIMEOUT_MILLIS = 1000;

  private final Executor executor;
  private final Supplier<PolicyRevision> load;
  private final AtomicReference<@Nullable CompletableFuture<PolicyRevision>> running =
      new AtomicReference<>();

  /** @param load loads the policy, and returns the one that is in force then */
  Loads(Executor executor, Supplier<PolicyRevision> load) {
    this.executor = executor;
    this.load = load;
  }

  /** The policy in force; fails with {@link StoreUnavailableException}. */
  CompletionStage<PolicyRevision> next() {
    CompletableFuture<PolicyRevision> mine = new CompletableFuture<>();
    CompletableFuture<PolicyRevision> before = running.compareAndExchange(null, mine);
    if (before != null) {
      return bounded(before);
    }
    try {
      executor.execute(() -> load(mine));
    } catch (RejectedExecutionException e) {
      fail(mine, e); // closed
    }
    return bounded(mine);
  }

  private void load(CompletableFuture<PolicyRevision> result) {
    try {
      PolicyRevision loaded = load.get();
      running.compareAndSet(result, null);
      result.complete(loaded);
    } catch (Throwable e) { // of any kind: callers wait for the result
      fail(result, e);
    }
  }

  private void fail(CompletableFuture<PolicyRevision> result, Throwable error) {
    running.compareAndSet(result, null);
    result.completeExceptionally(new StoreUnavailableException(
        Faults.of(error), "the policy in force: " + error.getMessage(), error));
  }

  private static CompletionStage<PolicyRevision> bounded(
      CompletableFuture<PolicyRevision> loading) {
    return loading
        .copy()
        .orTimeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionallyCompose(error -> CompletableFuture.failedFuture(
            error instanceof TimeoutException
                ? new StoreUnavailableException(
                    StoreFault.SLOW, "the policy in force could not be read in time", error)
                : error));
  }
}
