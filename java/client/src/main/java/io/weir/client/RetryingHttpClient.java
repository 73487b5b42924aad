package io.weir.client;

import io.weir.client.retry.Attempt;
import io.weir.client.retry.Call;
import io.weir.client.retry.Origin;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * A JDK HTTP client that waits as servers say and retries: for any HTTP API, with the best results for Weir. It has the
 * interface of the client that it wraps. It returns the last answer, whatever its status; it throws the last failure,
 * or {@link io.weir.client.retry.RetryLaterException} (an {@code IOException}) if the wait would be too long.
 *
 * <p>A request is retried if it is idempotent (RFC 9110, section 9.2.2), carries an {@code Idempotency-Key}, or surely
 * was not acted upon. A body of known length is requested again each time. A body of unknown length is requested once,
 * and sent again (also after a redirect, or to authenticate) only if it has at most 256 KiB. The request's {@code
 * timeout} is that of one attempt. The body of a dropped answer is not waited for.
 *
 * <p>Safe for use by many threads.
 */
public final class RetryingHttpClient extends HttpClient {

  private final HttpClient client;
  private final Retryer retryer;

  private RetryingHttpClient(HttpClient client, Retryer retryer) {
    this.client = client;
    this.retryer = retryer;
  }

  /** Wraps a client; its owner still closes it. */
  public static RetryingHttpClient wrap(HttpClient client, RetryOptions options) {
    return wrap(client, options, RetryListener.NONE);
  }

  /** The same, with a listener. */
  public static RetryingHttpClient wrap(
      HttpClient client, RetryOptions options, RetryListener listener) {
    return wrap(client, Retryer.of(options, listener));
  }

  /** The same, with breakers and budgets shared with other clients. */
  public static RetryingHttpClient wrap(HttpClient client, Retryer retryer) {
    return new RetryingHttpClient(client, retryer);
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> answer = call(request, handler, firstOnThisThread());
    try {
      return answer.get();
    } catch (InterruptedException e) {
      answer.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof InterruptedException interrupted) {
        throw interrupted;
      }
      throw thrown(e.getCause());
    }
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return call(request, handler, (attempt, sent, body) -> client.sendAsync(sent, body));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushes) {
    return call(request, handler, (attempt, sent, body) -> client.sendAsync(sent, body, pushes));
  }

  private <T> CompletableFuture<HttpResponse<T>> call(
      HttpRequest request, BodyHandler<T> handler, Sender<T> sender) {
    HttpRequest sent = retryer.options().enabled() ? replayable(request) : request;
    return retryer.call(new HttpCall<>(sent, handler, sender, retryer.options().tickets()));
  }

  private static HttpRequest replayable(HttpRequest request) {
    Optional<BodyPublisher> body = request.bodyPublisher();
    return body.isEmpty() || body.get().contentLength() >= 0
        ? request
        : HttpRequest.newBuilder(request, (name, value) -> true)
            .method(request.method(), ReplayedBody.of(body.get()))
            .build();
  }

  // Handing a call to another thread and back costs more than the rest of the call.
  private <T> Sender<T> firstOnThisThread() {
    AtomicBoolean isFirst = new AtomicBoolean(true);
    return (attempt, sent, body) -> {
      if (!isFirst.getAndSet(false)) {
        return client.sendAsync(sent, body);
      }
      Interruption interruption = new Interruption(Thread.currentThread());
      attempt.endsBy(interruption::interrupt);
      try {
        return CompletableFuture.completedFuture(client.send(sent, body));
      } catch (IOException | InterruptedException e) {
        return CompletableFuture.failedFuture(e);
      } finally {
        interruption.end();
      }
    };
  }

  // The failure of the wrapped client, thrown on the caller's thread.
  private static IOException thrown(@Nullable Throwable cause) {
    if (cause instanceof IOException failure) {
      return failure;
    }
    if (cause instanceof RuntimeException mistake) {
      throw mistake;
    }
    if (cause instanceof Error error) {
      throw error;
    }
    return new IOException(cause);
  }

  @FunctionalInterface
  private interface Sender<T> {
    CompletableFuture<HttpResponse<T>> send(
        Attempt attempt, HttpRequest request, BodyHandler<T> handler);
  }

  private record HttpCall<T>(
      HttpRequest request, BodyHandler<T> handler, Sender<T> sender, boolean wantsTickets)
      implements Call<HttpResponse<T>> {
    @Override
    public String upstream() {
      return Origin.of(request.uri()).toString();
    }

    @Override
    public String name() {
      return request.method() + " " + upstream() + request.uri().getRawPath();
    }

    @Override
    public boolean isRepeatable() {
      return Call.isIdempotent(request.method())
          || request.headers().firstValue("Idempotency-Key").isPresent();
    }

    @Override
    public CompletableFuture<HttpResponse<T>> send(Attempt attempt) {
      return sender.send(attempt, prepared(attempt.ticket()), head -> {
        HttpHeaders headers = head.headers();
        return attempt.isAnswer(head.statusCode(), headers::allValues)
            ? handler.apply(head)
            : new DroppedBody<>();
      });
    }

    @Override
    public boolean isTransport(Throwable failure) {
      return !ReplayedBody.NotReplayableException.isIn(failure) && Call.super.isTransport(failure);
    }

    @Override
    public boolean isReplayable() {
      return request
          .bodyPublisher()
          .filter(body -> body instanceof ReplayedBody replayed && !replayed.isReplayable())
          .isEmpty();
    }

    private HttpRequest prepared(Optional<String> ticket) {
      if (!wantsTickets) {
        return request;
      }
      HttpRequest.Builder builder =
          HttpRequest.newBuilder(request, (name, value) -> true).header("Prefer", "retry-ticket");
      ticket.ifPresent(shown -> builder.setHeader("Retry-Ticket", shown));
      return builder.build();
    }
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return client.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return client.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return client.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return client.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return client.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return client.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return client.authenticator();
  }

  @Override
  public Version version() {
    return client.version();
  }

  /** Opened by the wrapped client: a WebSocket is not retried. */
  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return client.newWebSocketBuilder();
  }

  @Override
  public Optional<Executor> executor() {
    return client.executor();
  }
}
