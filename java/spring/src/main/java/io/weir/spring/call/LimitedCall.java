package io.weir.spring.call;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.library.AcquireRequest;
import io.weir.library.Hold;
import io.weir.library.Weir;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/** Calls a method once a limit allows it, in the way that its return type asks for. */
record LimitedCall(Weir weir, AcquireRequest ask, MethodInvocation call) {
  private static final boolean HAS_REACTOR =
      ClassUtils.isPresent("reactor.core.publisher.Mono", LimitedCall.class.getClassLoader());

  /** Takes the operation, waiting for its slot at most this long, and calls. */
  @Nullable
  Object limited(Duration atMost) throws Throwable {
    Class<?> type = call.getMethod().getReturnType();
    ReactiveAdapter adapter = adapter(type);
    if (adapter != null) {
      return ReactiveCalls.limited(
          adapter,
          () -> {
            CompletableFuture<Decision> taken = taken(atMost);
            return cancelling(taken.thenApply(this::allowed), taken);
          },
          call::proceed);
    }
    if (CompletionStage.class.isAssignableFrom(type)) {
      CompletableFuture<Decision> taken = taken(atMost);
      CompletionStage<Object> result =
          cancelling(taken.thenApply(this::allowed).thenCompose(decision -> proceeded()), taken);
      return result;
    }
    Decision decision =
        atMost.isZero() ? weir.blocking().tryAcquire(ask) : weir.blocking().acquire(ask, atMost);
    allowed(decision);
    return call.proceed();
  }

  /** Holds the permits of the operation while the call runs. */
  @Nullable
  Object permitted() throws Throwable {
    Class<?> type = call.getMethod().getReturnType();
    ReactiveAdapter adapter = adapter(type);
    if (adapter != null) {
      return ReactiveCalls.permitted(adapter, this::entered, call::proceed);
    }
    if (CompletionStage.class.isAssignableFrom(type)) {
      CompletionStage<Object> result =
          entered().thenCompose(hold -> closing(hold, this::proceeded));
      return result;
    }
    try (Hold hold = weir.blocking().enter(ask)) {
      allowed(hold.decision());
      return call.proceed();
    }
  }

  private static CompletionStage<Object> closing(
      Hold hold, Supplier<CompletionStage<Object>> running) {
    return running.get().whenComplete((result, error) -> hold.close());
  }

  private CompletableFuture<Hold> entered() {
    return weir.enter(ask)
        .thenApply(hold -> {
          allowed(hold.decision());
          return hold;
        })
        .toCompletableFuture();
  }

  private CompletableFuture<Decision> taken(Duration atMost) {
    return atMost.isZero() ? weir.tryAcquire(ask).toCompletableFuture() : weir.acquire(ask, atMost);
  }

  // Cancelling the call ends its wait.
  private static <T> CompletableFuture<T> cancelling(
      CompletableFuture<T> result, CompletableFuture<?> waiting) {
    CompletableFuture<T> unused = result.whenComplete((value, error) -> {
      if (result.isCancelled()) {
        waiting.cancel(false);
      }
    });
    return result;
  }

  private Decision allowed(Decision decision) {
    if (!(decision instanceof Allowed)) {
      throw new RateLimitedException(ask.operation(), decision);
    }
    return decision;
  }

  @SuppressWarnings("unchecked") // the method returns a stage
  private CompletionStage<Object> proceeded() {
    try {
      Object result = call.proceed();
      return result == null
          ? CompletableFuture.failedFuture(new NullPointerException("the method returned null"))
          : (CompletionStage<Object>) result;
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static @Nullable ReactiveAdapter adapter(Class<?> type) {
    return HAS_REACTOR && !CompletionStage.class.isAssignableFrom(type)
        ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(type)
        : null;
  }
}
