package io.weir.state.policy;

import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.StoreClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The number of live nodes: each sends a heartbeat once a second, on a thread of its own, because silent nodes are
 * considered dead, and reading a policy, however long it takes, must not delay it. While the shared state is away, the
 * last count remains. Mutable; safe for use by many threads.
 */
final class Membership implements AutoCloseable {
  private static final long EVERY_MILLIS = 1000;
  private static final Duration LASTS = Duration.ofSeconds(5);
  private static final Duration LEFT_WITHIN = Duration.ofSeconds(1);

  private final RedisLibrary limiter;
  private final String node;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "weir-membership");
        made.setDaemon(true);
        return made;
      });
  private volatile int alive = 1;
  private long fewerSinceNanos = System.nanoTime();

  /** @param node its name, unique in the cluster */
  Membership(RedisConnections redis, String node) {
    this.limiter = RedisLibrary.limiter(redis, StoreClock.REDIS);
    this.node = node;
  }

  /** Sends the first heartbeat now, and further ones from then on. Never blocks. */
  void start() {
    beat();
    ScheduledFuture<?> unused = thread.scheduleWithFixedDelay(
        this::beat, EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  // Without effect if Redis does not answer.
  private void beat() {
    say(node).whenComplete((counted, error) -> counted(error == null ? counted.intValue() : 0));
  }

  // After an outage heartbeats return one by one: the count before the outage remains for a while.
  private synchronized void counted(int answered) {
    long now = System.nanoTime();
    if (answered >= alive) {
      alive = answered;
      fewerSinceNanos = now;
    } else if (answered == 0) {
      fewerSinceNanos = now;
    } else if (now - fewerSinceNanos > LASTS.toNanos()) {
      alive = answered;
    }
  }

  /** Reports that this node ends. */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      say("-" + node).toCompletableFuture().get(LEFT_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // The other nodes notice it by the missing heartbeats.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The number of live nodes at the last count, including this one. */
  int alive() {
    return alive;
  }

  private CompletionStage<Long> say(String text) {
    return limiter
        .run("beat", List.of(RedisKeys.NODES), List.of(text, Long.toString(LASTS.toMillis())))
        .thenApply(reply -> (Long) reply.get(0));
  }
}
