package io.weir.core.throttle;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Steps after answers, of which many are known at once and need no chain of stages. */
public final class Stages {
  private Stages() {}

  /** Whether a value is known. */
  public static boolean isKnown(CompletableFuture<?> answer) {
    return answer.isDone() && !answer.isCompletedExceptionally();
  }

  /** The same as {@code thenCompose}; a value that is known is passed on before this returns. */
  public static <T, R> CompletionStage<R> thenCompose(
      CompletionStage<T> answer, Function<? super T, ? extends CompletionStage<R>> next) {
    CompletableFuture<T> future = answer.toCompletableFuture();
    if (!isKnown(future)) {
      return answer.thenCompose(next);
    }
    try {
      return next.apply(future.join());
    } catch (Throwable e) { // of any kind, as a stage does
      return CompletableFuture.failedFuture(e);
    }
  }
}
