package io.weir.spring.client;

import io.weir.client.retry.Attempt;
import io.weir.client.retry.Call;
import io.weir.client.retry.Origin;
import io.weir.client.retry.Retryer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Calls of {@code RestClient} and {@code RestTemplate} that wait as servers say, show their tickets, and are repeated
 * within the bounds of a {@link Retryer}. Add it as the last interceptor. Safe for use by many threads.
 */
public final class RetryingInterceptor implements ClientHttpRequestInterceptor {
  private static final String PREFER = "Prefer";
  private static final String RETRY_TICKET = "Retry-Ticket";

  private final Retryer retryer;
  private final Executor executor;

  /**
   * Repeats by the rules of a retryer.
   *
   * @param executor runs the attempts, which block
   */
  public RetryingInterceptor(Retryer retryer, Executor executor) {
    this.retryer = retryer;
    this.executor = executor;
  }

  @Override
  public ClientHttpResponse intercept(
      HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
    CompletableFuture<ClientHttpResponse> answer = retryer.call(new Sending(
        request, () -> execution.execute(request, body), retryer.options().tickets(), executor));
    try {
      return answer.get();
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while it waited to send again");
    } catch (ExecutionException e) {
      throw asIo(e.getCause());
    }
  }

  private static IOException asIo(@Nullable Throwable cause) {
    if (cause instanceof RuntimeException unchecked && !(cause instanceof UncheckedIOException)) {
      throw unchecked;
    }
    return cause instanceof IOException known ? known : new IOException(cause);
  }

  @FunctionalInterface
  private interface Once {
    ClientHttpResponse send() throws IOException;
  }

  private record Sending(HttpRequest request, Once once, boolean wantsTickets, Executor executor)
      implements Call<ClientHttpResponse> {
    @Override
    public String upstream() {
      return Origin.of(request.getURI()).toString();
    }

    @Override
    public String name() {
      return request.getMethod() + " " + upstream() + request.getURI().getRawPath();
    }

    @Override
    public boolean isRepeatable() {
      return Call.isIdempotent(request.getMethod().name())
          || request.getHeaders().getFirst("Idempotency-Key") != null;
    }

    @Override
    public CompletionStage<ClientHttpResponse> send(Attempt attempt) {
      prepare(request.getHeaders(), attempt.ticket());
      CompletableFuture<ClientHttpResponse> answer = new CompletableFuture<>();
      executor.execute(() -> {
        try {
          answer.complete(sent(attempt));
        } catch (IOException | RuntimeException e) {
          answer.completeExceptionally(e);
        }
      });
      return answer;
    }

    // The body of an answer that is not returned is not read: its connection is not kept.
    private ClientHttpResponse sent(Attempt attempt) throws IOException {
      ClientHttpResponse response = once.send();
      HttpHeaders headers = response.getHeaders();
      if (!attempt.isAnswer(response.getStatusCode().value(), headers::getValuesAsList)) {
        response.close();
      }
      return response;
    }

    private void prepare(HttpHeaders headers, Optional<String> ticket) {
      if (wantsTickets) {
        headers.set(PREFER, "retry-ticket");
        ticket.ifPresent(shown -> headers.set(RETRY_TICKET, shown));
      }
    }
  }
}
