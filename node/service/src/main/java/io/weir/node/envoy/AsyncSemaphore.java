package io.weir.node.envoy;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/** Bounds how many tasks run at a time; the others wait, the first come first. Mutable; owned by one event loop. */
final class AsyncSemaphore {
  private final Deque<Promise<Void>> waiting = new ArrayDeque<>();
  private final Context context;
  private int left;

  AsyncSemaphore(Context context, int most) {
    this.context = context;
    this.left = most;
  }

  /** Runs a task, now or when another one has ended. */
  <T> Future<T> run(Supplier<Future<T>> task) {
    return acquired().compose(done -> started(task)).onComplete(done -> release());
  }

  private Future<Void> acquired() {
    if (left > 0) {
      left--;
      return Future.succeededFuture();
    }
    Promise<Void> next = Promise.promise();
    waiting.add(next);
    return next.future();
  }

  private static <T> Future<T> started(Supplier<Future<T>> task) {
    try {
      return task.get();
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  private void release() {
    Promise<Void> next = waiting.poll();
    if (next == null) {
      left++;
    } else {
      context.runOnContext(here -> next.complete()); // on a stack of its own
    }
  }
}
