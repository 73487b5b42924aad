package io.weir.state.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Steps to run after a lock is released. Mutable; used by one thread. */
final class Steps {
  private @Nullable List<Runnable> steps;

  /** Works under a lock, and then runs the steps that the work added. */
  static void afterLock(Object lock, Consumer<Steps> work) {
    Steps next = new Steps();
    synchronized (lock) {
      work.accept(next);
    }
    next.run();
  }

  void add(Runnable step) {
    if (steps == null) {
      steps = new ArrayList<>(2);
    }
    steps.add(step);
  }

  void run() {
    if (steps != null) {
      steps.forEach(Runnable::run);
    }
  }
}
