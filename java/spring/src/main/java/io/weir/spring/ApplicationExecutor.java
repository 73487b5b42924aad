package io.weir.spring;

import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/** Completes stages in the common pool with the class loader of the application, which may differ from the pool's. */
final class ApplicationExecutor implements Executor {
  private final ClassLoader loader = Thread.currentThread().getContextClassLoader();

  @Override
  public void execute(Runnable task) {
    ForkJoinPool.commonPool().execute(() -> {
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(loader);
      try {
        task.run();
      } finally {
        thread.setContextClassLoader(before);
      }
    });
  }
}
