package io.weir.cluster.local;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.cluster.local.KeyClient.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjIntConsumer;

/**
 * Callers of one key, each sending to the nodes in turn, as fast as they are answered; a rejected caller pauses
 * briefly. Mutable; owned by the code that made it.
 */
public final class Crowd implements AutoCloseable {
  private static final long PAUSE_MILLIS = 20;

  private final Vertx vertx = Vertx.vertx();
  private final KeyClient client;
  private final int nodes;
  private final AtomicBoolean stopped = new AtomicBoolean();

  public Crowd(List<String> nodes, DemoKey key, int callers) {
    this.nodes = nodes.size();
    this.client = new KeyClient(vertx, nodes, key, callers);
  }

  /**
   * Runs callers for a while.
   *
   * @param seen receives each answer and the index of its node; on any thread
   */
  public void run(int callers, Duration duration, ObjIntConsumer<Answer> seen) {
    AtomicInteger left = new AtomicInteger(callers);
    CompletableFuture<Void> done = new CompletableFuture<>();
    vertx.setTimer(duration.toMillis(), timer -> stopped.set(true));
    for (int i = 0; i < callers; i++) {
      ask(i, seen, () -> {
        if (left.decrementAndGet() == 0) {
          done.complete(null);
        }
      });
    }
    done.orTimeout(
            duration.toMillis() + 2 * KeyClient.REQUEST_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  @Override
  public void close() {
    await(vertx.close());
  }

  private void ask(int turn, ObjIntConsumer<Answer> seen, Runnable finished) {
    if (stopped.get()) {
      finished.run();
      return;
    }
    client.ask(turn, false, Optional.empty()).onSuccess(answer -> {
      seen.accept(answer, turn % nodes);
      if (answer.isAdmitted()) {
        ask(turn + 1, seen, finished);
      } else {
        vertx.setTimer(PAUSE_MILLIS, timer -> ask(turn + 1, seen, finished));
      }
    });
  }

  private static void await(Future<?> future) {
    future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(30, TimeUnit.SECONDS)
        .join();
  }
}
