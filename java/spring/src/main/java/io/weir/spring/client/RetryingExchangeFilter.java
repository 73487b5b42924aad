package io.weir.spring.client;

import io.weir.client.retry.Attempt;
import io.weir.client.retry.Call;
import io.weir.client.retry.Origin;
import io.weir.client.retry.Retryer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import reactor.core.publisher.Mono;

/**
 * Calls of {@code WebClient} that wait as servers say, show their tickets, and are repeated within the bounds of a
 * {@link Retryer}; never blocks. Add it as the last filter. Safe for use by many threads.
 */
public final class RetryingExchangeFilter implements ExchangeFilterFunction {
  private final Retryer retryer;

  /** Repeats by the rules of a retryer. */
  public RetryingExchangeFilter(Retryer retryer) {
    this.retryer = retryer;
  }

  @Override
  public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
    return Mono.fromFuture(
        () -> retryer.call(new Sending(request, next, retryer.options().tickets())));
  }

  private record Sending(ClientRequest request, ExchangeFunction next, boolean wantsTickets)
      implements Call<ClientResponse> {
    @Override
    public String upstream() {
      return Origin.of(request.url()).toString();
    }

    @Override
    public String name() {
      return request.method() + " " + upstream() + request.url().getRawPath();
    }

    @Override
    public boolean isRepeatable() {
      return Call.isIdempotent(request.method().name())
          || request.headers().getFirst("Idempotency-Key") != null;
    }

    @Override
    public boolean isTransport(Throwable failure) {
      return failure instanceof WebClientRequestException || Call.super.isTransport(failure);
    }

    @Override
    public CompletionStage<ClientResponse> send(Attempt attempt) {
      return next.exchange(prepared(attempt.ticket()))
          .flatMap(response ->
              attempt.isAnswer(response.statusCode().value(), response.headers()::header)
                  ? Mono.just(response)
                  : response.releaseBody().thenReturn(response))
          .toFuture();
    }

    private ClientRequest prepared(Optional<String> ticket) {
      if (!wantsTickets) {
        return request;
      }
      ClientRequest.Builder builder =
          ClientRequest.from(request).headers(headers -> headers.set("Prefer", "retry-ticket"));
      ticket.ifPresent(shown -> builder.headers(headers -> headers.set("Retry-Ticket", shown)));
      return builder.build();
    }
  }
}
