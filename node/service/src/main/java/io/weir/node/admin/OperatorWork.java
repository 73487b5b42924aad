package io.weir.node.admin;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.weir.node.answer.RefusedException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;

/**
 * Work for operators that takes longer than an event loop may be held: little at a time, on threads of its own, so that
 * operators take nothing from callers; and calls to the shared state, which hold none. Safe for use by many threads.
 */
public final class OperatorWork {
  private static final String NAME = "weir-operators";
  private static final int THREADS = 2;

  private final Vertx vertx;
  private final WorkerExecutor threads;

  /** All of a node share the threads. */
  public OperatorWork(Vertx vertx) {
    this.vertx = vertx;
    this.threads = vertx.createSharedWorkerExecutor(NAME, THREADS);
  }

  /** Runs work; the future completes on the caller's event loop. */
  public <T> Future<T> run(Callable<T> work) {
    return threads.executeBlocking(work, false);
  }

  /**
   * The result of a call to the shared state, on the caller's event loop; fails with {@link RefusedException} if the
   * state is away.
   */
  public <T> Future<T> of(CompletionStage<T> stage) {
    return Future.fromCompletionStage(stage, loop())
        .recover(error -> Future.failedFuture(RefusedException.of(error)));
  }

  /** The caller's event loop. */
  public Context loop() {
    return vertx.getOrCreateContext();
  }
}
