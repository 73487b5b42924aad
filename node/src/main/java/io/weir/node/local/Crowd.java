package io.weir.node.local;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.weir.node.auth.ApiKey;
import io.weir.node.local.ClusterFile.DemoKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjIntConsumer;

/**
 * Callers of one key, each asking the nodes in turn, as fast as they are answered; who is rejected pauses
 * a little. Mutable; owned by whoever made it.
 */
public final class Crowd implements AutoCloseable {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);
  private static final long PAUSE_MILLIS = 20;

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client;
  private final List<String> nodes;
  private final DemoKey key;
  private final AtomicBoolean stopped = new AtomicBoolean();

  public Crowd(List<String> nodes, DemoKey key, int callers) {
    this.nodes = nodes;
    this.key = key;
    this.client =
        vertx.createHttpClient(new HttpClientOptions(), new PoolOptions().setHttp1MaxSize(callers));
  }

  /** An answer: its status, or 0 where there was none. */
  public record Answer(int status, String retryAfter) {}

  /**
   * Runs callers for a while.
   *
   * @param seen is told each answer and the index of the node it came from; on any thread
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
    done.orTimeout(duration.toMillis() + 2 * REQUEST_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
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
    int node = turn % nodes.size();
    send(node).onSuccess(answer -> {
      seen.accept(answer, node);
      if (answer.status() == 200) {
        ask(turn + 1, seen, finished);
      } else {
        vertx.setTimer(PAUSE_MILLIS, timer -> ask(turn + 1, seen, finished));
      }
    });
  }

  private Future<Answer> send(int node) {
    RequestOptions options = new RequestOptions()
        .setMethod(HttpMethod.valueOf(key.method()))
        .setAbsoluteURI(nodes.get(node) + key.path())
        .setTimeout(REQUEST_TIMEOUT.toMillis())
        .putHeader(ApiKey.HEADER, key.key());
    return client
        .request(options)
        .compose(request -> request.send().compose(Crowd::answer))
        .otherwise(new Answer(0, ""));
  }

  private static Future<Answer> answer(HttpClientResponse response) {
    String retryAfter = String.valueOf(response.getHeader("Retry-After"));
    return response.body().map(body -> new Answer(response.statusCode(), retryAfter));
  }

  private static void await(Future<?> future) {
    future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(30, TimeUnit.SECONDS)
        .join();
  }
}
