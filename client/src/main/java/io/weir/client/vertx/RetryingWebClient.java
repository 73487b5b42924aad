package io.weir.client.vertx;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.weir.client.retry.Attempt;
import io.weir.client.retry.Call;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import io.weir.client.retry.Timekeeper;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/**
 * Sends requests of Vert.x's {@code WebClient}, waits as it is told and sends them again, by the same rules
 * as {@link io.weir.client.RetryingHttpClient}; but what was sent when the deadline comes ends by its own
 * timeout. Waits are Vert.x timers, and what comes back comes on the
 * context it was sent from. Safe for use by many threads.
 */
public final class RetryingWebClient {
  private static final Set<String> IDEMPOTENT =
      Set.of("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE");

  private final Vertx vertx;
  private final Retryer retryer;

  private RetryingWebClient(Vertx vertx, Retryer retryer) {
    this.vertx = vertx;
    this.retryer = retryer;
  }

  /** Retries on the event loops and timers of a Vert.x. */
  public static RetryingWebClient of(Vertx vertx, RetryOptions options, RetryListener listener) {
    Retryer retryer = Retryer.of(
        options,
        new VertxTimekeeper(vertx, Clock.systemUTC()),
        () -> ThreadLocalRandom.current().nextDouble(),
        listener);
    return new RetryingWebClient(vertx, retryer);
  }

  /** Sends a request without a body. */
  public <T> Future<HttpResponse<T>> send(HttpRequest<T> request) {
    return send(request, HttpRequest::send);
  }

  /**
   * Sends a request with a body: {@code send(client.put("/docs/1"), it -> it.sendJson(document))}.
   *
   * @param how sends it once; a stream cannot be sent twice
   */
  public <T> Future<HttpResponse<T>> send(
      HttpRequest<T> request, Function<HttpRequest<T>, Future<HttpResponse<T>>> how) {
    return Future.fromCompletionStage(
        retryer.call(new WebCall<>(request, how, retryer.options().tickets())),
        vertx.getOrCreateContext());
  }

  private record WebCall<T>(
      HttpRequest<T> request,
      Function<HttpRequest<T>, Future<HttpResponse<T>>> how,
      boolean wantsTickets)
      implements Call<HttpResponse<T>> {
    @Override
    public String upstream() {
      return request.host() + ":" + request.port();
    }

    @Override
    public String name() {
      String target = request.uri();
      int query = target.indexOf('?');
      return request.method() + " " + upstream()
          + (query < 0 ? target : target.substring(0, query));
    }

    @Override
    public boolean isRepeatable() {
      return IDEMPOTENT.contains(request.method().name())
          || request.headers().contains("Idempotency-Key");
    }

    @Override
    public CompletionStage<HttpResponse<T>> send(Attempt attempt) {
      HttpRequest<T> sent = request.copy();
      if (wantsTickets) {
        sent.headers().add("Prefer", "retry-ticket");
        attempt.ticket().ifPresent(shown -> sent.putHeader("Retry-Ticket", shown));
      }
      return how.apply(sent)
          .onSuccess(answer -> attempt.isAnswer(answer.statusCode(), answer.headers()::getAll))
          .toCompletionStage();
    }
  }

  private record VertxTimekeeper(Vertx vertx, Clock clock) implements Timekeeper {
    private static final long NANOS_PER_MILLI = 1_000_000;

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public Instant now() {
      return clock.instant();
    }

    @Override
    public Runnable after(Duration wait, Runnable task) {
      long millis = (wait.toNanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
      long timer = vertx.setTimer(Math.max(1, millis), fired -> task.run());
      return () -> vertx.cancelTimer(timer);
    }
  }
}
