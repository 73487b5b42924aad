package io.weir.benchmarks.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.weir.benchmarks.http.GatewayBench.Herd;
import io.weir.core.answer.AnswerFields;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Callers that come at once and each come again, when they are told to, until they pass. Owned by one thread. */
final class HttpHerd implements AutoCloseable {
  private static final int CONNECTIONS = 400;
  private static final int GIVES_UP_AFTER_SECONDS = 60;
  private static final long UNTOLD_MILLIS = 1000;

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  private final HttpClient client = vertx.createHttpClient(
      new HttpClientOptions().setKeepAlive(true), new PoolOptions().setHttp1MaxSize(CONNECTIONS));
  private final int port;
  private int herds;

  HttpHerd(int port) {
    this.port = port;
  }

  /** Lets so many callers of one key come, and waits until all have passed or a minute is over. */
  Herd run(String contender, String path, int callers, boolean keepsTickets) {
    Run run = new Run(path, "herd" + herds++, keepsTickets);
    List<Future<Void>> ends = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      ends.add(run.comes());
    }
    Future.join(ends)
        .otherwiseEmpty()
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(2 * GIVES_UP_AFTER_SECONDS, TimeUnit.SECONDS)
        .join();
    return new Herd(contender, run.passed, run.attempts / (double) callers, run.lastNanos / 1e9);
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  /** The counts of a herd, on the event loop. */
  private final class Run {
    private final String path;
    private final String user;
    private final boolean keepsTickets;
    private final long began = System.nanoTime();
    private long attempts;
    private int passed;
    private long lastNanos;

    Run(String path, String user, boolean keepsTickets) {
      this.path = path;
      this.user = user;
      this.keepsTickets = keepsTickets;
    }

    Future<Void> comes() {
      Promise<Void> end = Promise.promise();
      vertx.runOnContext(now -> ask(null, end));
      return end.future();
    }

    private void ask(@Nullable String ticket, Promise<Void> end) {
      if (System.nanoTime() - began > TimeUnit.SECONDS.toNanos(GIVES_UP_AFTER_SECONDS)) {
        end.complete();
        return;
      }
      attempts++;
      client
          .request(HttpMethod.GET, port, "127.0.0.1", path)
          .compose(request -> {
            request.putHeader("X-User", user);
            if (ticket != null) {
              request.putHeader(AnswerFields.RETRY_TICKET, ticket);
            } else if (keepsTickets) {
              request.putHeader("Prefer", "retry-ticket");
            }
            return request.send();
          })
          .compose(response -> response.body().map(body -> answered(response, end)))
          .onFailure(error -> after(UNTOLD_MILLIS, ticket, end));
    }

    private @Nullable Void answered(HttpClientResponse response, Promise<Void> end) {
      if (response.statusCode() == 200) {
        passed++;
        lastNanos = System.nanoTime() - began;
        end.complete();
        return null;
      }
      after(toldMillis(response), response.getHeader(AnswerFields.RETRY_TICKET), end);
      return null;
    }

    private long toldMillis(HttpClientResponse response) {
      String millis = keepsTickets ? response.getHeader("Retry-After-Ms") : null;
      String seconds = response.getHeader("Retry-After");
      if (millis != null) {
        return Long.parseLong(millis);
      }
      return seconds == null ? UNTOLD_MILLIS : Long.parseLong(seconds) * 1000;
    }

    private void after(long millis, @Nullable String ticket, Promise<Void> end) {
      vertx.setTimer(Math.max(1, millis), timer -> ask(ticket, end));
    }
  }
}
