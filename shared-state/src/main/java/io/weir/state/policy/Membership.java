package io.weir.state.policy;

import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.LuaScript;
import io.weir.state.wire.RedisKeys;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;

/**
 * The number of live nodes: each sends a heartbeat once a second. Mutable; safe for use by many threads. While the
 * shared state is away, the last count remains.
 */
final class Membership {
  private static final Duration LASTS = Duration.ofSeconds(5);
  private static final Duration LEFT_WITHIN = Duration.ofSeconds(1);

  private final String node;
  private final BiFunction<LuaScript, List<String>, CompletionStage<Long>> run;
  private final LuaScript beat = LuaLibrary.limiter(Map.of()).script("beat");
  private volatile int alive = 1;
  private long fewerSinceNanos = System.nanoTime();

  /** @param run runs a script with these arguments on {@link RedisKeys#NODES} */
  Membership(String node, BiFunction<LuaScript, List<String>, CompletionStage<Long>> run) {
    this.node = node;
    this.run = run;
  }

  /** Sends a heartbeat, and updates the count; without effect if Redis does not answer. Never blocks. */
  void beat() {
    say(node).whenComplete((counted, error) -> counted(error == null ? counted.intValue() : 0));
  }

  // After an outage heartbeats return one by one: the count before the outage remains for a while.
  private synchronized void counted(int heard) {
    long now = System.nanoTime();
    if (heard >= alive) {
      alive = heard;
      fewerSinceNanos = now;
    } else if (heard == 0) {
      fewerSinceNanos = now;
    } else if (now - fewerSinceNanos > LASTS.toNanos()) {
      alive = heard;
    }
  }

  /** Reports that this node ends. */
  void leave() {
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
    return run.apply(beat, List.of(text, Long.toString(LASTS.toMillis())));
  }
}
