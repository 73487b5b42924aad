package io.weir.spring.web;

import io.weir.core.answer.AnswerFields;
import io.weir.core.answer.Problem;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.CallerNetwork;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.library.AcquireRequest;
import io.weir.library.Hold;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Limits an exchange of WebFlux: goes on with it, or refuses it. Never blocks. */
public final class ExchangeLimit {
  private final RequestRules rules;

  /** @param rules tell by what a caller is known */
  public ExchangeLimit(RequestRules rules) {
    this.rules = rules;
  }

  /** Limits an exchange, whose permits are held until it ends. */
  public Mono<Void> limit(
      ServerWebExchange exchange, String operation, Function<ServerWebExchange, Mono<Void>> chain) {
    return shown(exchange).map(Optional::of).defaultIfEmpty(Optional.empty()).flatMap(shown -> {
      Optional<String> subject = shown.flatMap(rules::subject);
      return subject.isEmpty()
          ? Refusals.write(exchange, rules.unknown(shown))
          : limit(exchange, subject.get(), operation, chain);
    });
  }

  /** The same for a caller who is known already. */
  public Mono<Void> limit(
      ServerWebExchange exchange,
      String subject,
      String operation,
      Function<ServerWebExchange, Mono<Void>> chain) {
    HttpHeaders headers = exchange.getRequest().getHeaders();
    AcquireRequest ask = AcquireRequest.ofRequest(
        subject,
        operation,
        Optional.ofNullable(headers.getFirst(AnswerFields.RETRY_TICKET)),
        headers.getValuesAsList("Prefer"));
    return Mono.defer(() -> {
      Executor reply = ReplyThread.of(exchange.getRequest());
      CompletableFuture<Hold> asked = rules.weir().enter(ask).toCompletableFuture();
      return entered(operation, asked.whenCompleteAsync((hold, error) -> {}, reply))
          .flatMap(entered -> {
            entered.note(exchange);
            return entered.problem().isPresent()
                ? Refusals.write(exchange, entered.problem().get())
                : chain.apply(exchange);
          })
          .doOnTerminate(() -> close(asked))
          .doOnCancel(() -> close(asked));
    });
  }

  private static void close(CompletableFuture<Hold> asked) {
    CompletableFuture<Void> unused = asked.thenAccept(Hold::close);
  }

  // A caller that goes away while it is decided does not cancel: its hold is closed as soon as it
  // is there.
  private static Mono<Entered> entered(String operation, CompletableFuture<Hold> asked) {
    return Mono.fromFuture(asked, true)
        .map(hold -> Entered.of(operation, hold))
        .onErrorResume(
            StoreUnavailableException.class, e -> Mono.just(Entered.refused(Problem.unavailable())))
        .onErrorResume(
            UnknownSubjectException.class, e -> Mono.just(Entered.refused(Problem.keyInvalid())));
  }

  private record Entered(Optional<Hold> hold, Optional<Problem> problem) {
    static Entered of(String operation, Hold hold) {
      Optional<Problem> problem = hold.isAllowed()
          ? Optional.empty()
          : Optional.of(Problem.refusing(operation, hold.decision()));
      return new Entered(Optional.of(hold), problem);
    }

    static Entered refused(Problem problem) {
      return new Entered(Optional.empty(), Optional.of(problem));
    }

    // At the last moment: fields of an upstream's answer are replaced, not repeated.
    void note(ServerWebExchange exchange) {
      hold.ifPresent(known -> exchange.getResponse().beforeCommit(() -> {
        HttpHeaders headers = exchange.getResponse().getHeaders();
        // A method that denied the request has told its own limits, and when to return.
        if (known.decision() instanceof Denied || headers.getFirst("Retry-After-Ms") == null) {
          AnswerFields.set(known.decision(), headers::set);
        }
        return Mono.empty();
      }));
    }
  }

  private Mono<String> shown(ServerWebExchange exchange) {
    ServerHttpRequest request = exchange.getRequest();
    return switch (rules.from()) {
      case HEADER -> Mono.justOrEmpty(rules.keyIn(request.getHeaders()::getFirst));
      case PRINCIPAL -> exchange.getPrincipal().map(Principal::getName);
      case CLAIM ->
        exchange.getPrincipal().flatMap(known -> Mono.justOrEmpty(Claims.of(known, rules.name())));
      case ADDRESS -> Mono.justOrEmpty(address(request.getRemoteAddress()));
    };
  }

  private static Optional<String> address(@Nullable InetSocketAddress from) {
    return Optional.ofNullable(from)
        .flatMap(known -> Optional.ofNullable(known.getAddress()))
        .map(InetAddress::getHostAddress)
        .map(CallerNetwork::of);
  }
}
