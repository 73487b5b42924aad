package io.weir.library;

import io.weir.core.throttle.Failures;
import io.weir.core.throttle.Stages;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * How answers reach their callers: on a thread of the program, so that a caller who blocks it holds up no connection.
 *
 * @param executor completes the stages; if it refuses, the thread of the answer does
 */
record Delivery(Executor executor) {
  /** Runs what completes a stage. */
  void run(Runnable completing) {
    try {
      executor.execute(completing);
    } catch (RejectedExecutionException e) {
      completing.run();
    }
  }

  /**
   * The answer for its caller; what is known at once needs no other thread.
   *
   * @param answer nobody else has it
   * @param unclaimed is passed an answer whose caller has given up, and which nobody will get
   */
  <T> CompletableFuture<T> of(CompletionStage<T> answer, Consumer<T> unclaimed) {
    CompletableFuture<T> asked = answer.toCompletableFuture();
    if (Stages.isKnown(asked)) {
      return asked;
    }
    CompletableFuture<T> out = new CompletableFuture<>();
    boolean hasFailed = asked.isDone();
    CompletionStage<T> unused = answer.whenComplete((found, error) -> {
      Runnable completing = () -> {
        if (error != null) {
          out.completeExceptionally(Failures.cause(error));
        } else if (!out.complete(found)) {
          unclaimed.accept(found);
        }
      };
      if (hasFailed) {
        completing.run();
      } else {
        run(completing);
      }
    });
    return out;
  }
}
