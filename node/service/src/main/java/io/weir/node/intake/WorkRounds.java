package io.weir.node.intake;

import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The work that connections of an event loop have beyond a few requests at once. It is done in rounds, one for each
 * iteration of the event loop, which reads other connections in between. In a round, {@value #CONNECTIONS} connections
 * work; the others wait for the next rounds, in their order. Mutable; owned by its event loop.
 */
public final class WorkRounds {
  /** The connections that work in a round. */
  static final int CONNECTIONS = 8;

  private final Consumer<Runnable> nextIteration;
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private boolean isScheduled;

  /** @param nextIteration runs a task after the event loop has read other connections */
  public WorkRounds(Consumer<Runnable> nextIteration) {
    this.nextIteration = nextIteration;
  }

  /** The rounds of the caller's event loop. */
  public static WorkRounds of(Vertx vertx) {
    EventLoop loop = ((ContextInternal) vertx.getOrCreateContext()).nettyEventLoop();
    // A task that is executed, not scheduled, runs before anything is read.
    return new WorkRounds(task -> {
      var unused = loop.schedule(task, 0, TimeUnit.NANOSECONDS);
    });
  }

  /** Does a connection's next piece of work in a later round. */
  public void later(Runnable work) {
    waiting.add(work);
    schedule();
  }

  private void schedule() {
    if (!isScheduled && !waiting.isEmpty()) {
      isScheduled = true;
      nextIteration.accept(this::round);
    }
  }

  private void round() {
    isScheduled = false;
    try {
      for (int i = Math.min(CONNECTIONS, waiting.size()); i > 0; i--) {
        waiting.remove().run();
      }
    } finally {
      schedule();
    }
  }
}
