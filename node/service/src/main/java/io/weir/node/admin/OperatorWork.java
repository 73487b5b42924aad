package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.Callable;

/**
 * Work for operators that takes longer than an event loop may be held: little at a time, on threads of its own, so that
 * operators take nothing from callers.
 */
public final class OperatorWork {
  private static final String NAME = "weir-operators";
  private static final int THREADS = 2;

  private final WorkerExecutor threads;

  /** All of a node share the threads. */
  public OperatorWork(Vertx vertx) {
    this.threads = vertx.createSharedWorkerExecutor(NAME, THREADS);
  }

  /** Runs work; the future completes on the caller's event loop. */
  public <T> Future<T> run(Callable<T> work) {
    return threads.executeBlocking(work, false);
  }
}
