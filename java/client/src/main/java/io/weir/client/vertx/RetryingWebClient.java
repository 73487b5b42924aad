package io.weir.client.vertx;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.StreamResetException;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.weir.client.retry.Attempt;
import io.weir.client.retry.Call;
import io.weir.client.retry.Origin;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Sends requests of Vert.x's {@code WebClient}, waits as servers say and retries, by the same rules as {@link
 * io.weir.client.RetryingHttpClient}; but an attempt that is in flight at the deadline ends by its own timeout. Retries
 * and results run on the context of the caller. Safe for use by many threads.
 */
public final class RetryingWebClient {

  private final Vertx vertx;
  private final Retryer retryer;

  private RetryingWebClient(Vertx vertx, Retryer retryer) {
    this.vertx = vertx;
    this.retryer = retryer;
  }

  /** Retries on the event loops of a Vert.x. */
  public static RetryingWebClient of(Vertx vertx, RetryOptions options, RetryListener listener) {
    return new RetryingWebClient(vertx, Retryer.of(options, listener));
  }

  /** Sends a request without a body. */
  public <T> Future<HttpResponse<T>> send(HttpRequest<T> request) {
    return send(request, HttpRequest::send);
  }

  /**
   * Sends a request with a body: {@code send(client.put("/docs/1"), it -> it.sendJson(document))}. Set expectations on
   * the returned future, not within {@code how}: a failed expectation is not an answer.
   *
   * @param how sends it once; a stream cannot be sent twice
   */
  public <T> Future<HttpResponse<T>> send(
      HttpRequest<T> request, Function<HttpRequest<T>, Future<HttpResponse<T>>> how) {
    Context context = vertx.getOrCreateContext();
    return Future.fromCompletionStage(
        retryer.call(new WebCall<>(request, how, retryer.options().tickets(), context)), context);
  }

  private record WebCall<T>(
      HttpRequest<T> request,
      Function<HttpRequest<T>, Future<HttpResponse<T>>> how,
      boolean wantsTickets,
      Context context)
      implements Call<HttpResponse<T>> {
    @Override
    public String upstream() {
      // The host of a template is unknown before it is sent.
      return Optional.ofNullable(request.host())
          .map(host -> Origin.of(scheme(), host, request.port()).toString())
          .orElse("template");
    }

    private String scheme() {
      return Boolean.TRUE.equals(request.ssl()) ? "https" : "http";
    }

    @Override
    public String name() {
      String target = Optional.ofNullable(request.uri()).orElse("");
      int query = target.indexOf('?');
      String path = query < 0 ? target : target.substring(0, query);
      return request.method() + " " + upstream() + path;
    }

    @Override
    public boolean isRepeatable() {
      return Call.isIdempotent(request.method().name())
          || request.headers().contains("Idempotency-Key");
    }

    @Override
    public boolean isTransport(Throwable failure) {
      return failure instanceof HttpClosedException
          || failure instanceof StreamResetException
          || failure instanceof ConnectionPoolTooBusyException
          || Call.super.isTransport(failure);
    }

    @Override
    public CompletionStage<HttpResponse<T>> send(Attempt attempt) {
      Promise<HttpResponse<T>> answered = Promise.promise();
      context.runOnContext(go -> {
        try {
          how.apply(prepared(attempt.ticket())).onComplete(answered);
        } catch (RuntimeException e) {
          answered.fail(e);
        }
      });
      return answered
          .future()
          .map(answer -> {
            attempt.isAnswer(answer.statusCode(), answer.headers()::getAll);
            return answer;
          })
          .toCompletionStage();
    }

    private HttpRequest<T> prepared(Optional<String> ticket) {
      HttpRequest<T> sent = request.copy();
      if (wantsTickets) {
        sent.headers().add("Prefer", "retry-ticket");
        ticket.ifPresent(shown -> sent.putHeader("Retry-Ticket", shown));
      }
      return sent;
    }
  }
}
