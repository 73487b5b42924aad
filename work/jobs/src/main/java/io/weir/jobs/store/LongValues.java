package io.weir.jobs.store;

import io.weir.core.throttle.Failures;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the bytes of long requests and results that are on their way to Redis or from it at a time. Redis does all
 * commands that arrive together before it turns to another connection: many calls with long values at once would hold
 * up the decisions on other connections. Calls wait in order; short ones do not wait. Mutable; safe for use by many
 * threads.
 */
final class LongValues {
  /** Longer values wait for their turn. */
  static final long SHORT = 32 << 10;

  /** A longer value goes alone. */
  static final long MOST = 2 << 20;

  private final Queue<Call<?>> waiting = new ArrayDeque<>();
  private long bytes;
  private boolean isStarting;

  private record Call<T>(
      long bytes, Supplier<CompletionStage<T>> question, CompletableFuture<T> answer) {
    void run(LongValues values) {
      question.get().whenComplete((found, error) -> {
        values.ended(bytes, error);
        if (error == null) {
          answer.complete(found);
        } else {
          answer.completeExceptionally(Failures.cause(error));
        }
      });
    }
  }

  /**
   * Makes a call when there is room for its value.
   *
   * @param length the longest possible length of the value
   * @return completes as the call does; fails with an outage that an earlier call has met meanwhile
   */
  <T> CompletionStage<T> call(long length, Supplier<CompletionStage<T>> question) {
    if (length <= SHORT) {
      return question.get();
    }
    Call<T> call = new Call<>(Math.min(length, MOST), question, new CompletableFuture<>());
    synchronized (this) {
      waiting.add(call);
    }
    startAll();
    return call.answer();
  }

  // In an outage Redis would not answer the waiting calls either: they fail together, not one after
  // the other.
  private void ended(long length, @Nullable Throwable error) {
    Queue<Call<?>> failed = free(length, error != null && Failures.isOutage(error));
    if (error != null) {
      failed.forEach(call -> call.answer().completeExceptionally(Failures.cause(error)));
    }
    startAll();
  }

  private synchronized Queue<Call<?>> free(long length, boolean isOutage) {
    bytes -= length;
    Queue<Call<?>> failed = new ArrayDeque<>();
    if (isOutage) {
      failed.addAll(waiting);
      waiting.clear();
    }
    return failed;
  }

  // In a loop: a call that ends at once must not start the next one within it.
  private void startAll() {
    if (begin()) {
      for (Call<?> next = next(); next != null; next = next()) {
        next.run(this);
      }
    }
  }

  private synchronized boolean begin() {
    boolean isFirst = !isStarting;
    isStarting = true;
    return isFirst;
  }

  private synchronized @Nullable Call<?> next() {
    Call<?> first = waiting.peek();
    if (first == null || (bytes > 0 && bytes + first.bytes() > MOST)) {
      isStarting = false;
      return null;
    }
    bytes += first.bytes();
    return waiting.poll();
  }
}
