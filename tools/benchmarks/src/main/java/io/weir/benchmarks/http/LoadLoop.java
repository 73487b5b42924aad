package io.weir.benchmarks.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The event loop that all callers of a load are on. */
final class LoadLoop implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true));

  Vertx vertx() {
    return vertx;
  }

  /** Waits for the end of a load of this duration, and a minute longer on a machine with other work. */
  static void join(Future<?> end, Duration after) {
    end.toCompletionStage()
        .toCompletableFuture()
        .orTimeout(after.plus(PATIENCE).toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  @Override
  public void close() {
    join(vertx.close(), Duration.ZERO);
  }
}
