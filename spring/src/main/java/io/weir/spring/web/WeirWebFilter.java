package io.weir.spring.web;

import static io.weir.spring.web.RequestRules.KEY_INVALID;
import static io.weir.spring.web.RequestRules.KEY_MISSING;
import static io.weir.spring.web.RequestRules.PATH_AMBIGUOUS;

import io.weir.core.answer.AnswerFields;
import io.weir.core.answer.Problem;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.library.Ask;
import io.weir.library.Permit;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Limits the requests of WebFlux; never blocks. */
public final class WeirWebFilter implements WebFilter, Ordered {
  private final RequestRules rules;
  private final int order;

  /** @param order among the filters */
  public WeirWebFilter(RequestRules rules, int order) {
    this.rules = rules;
    this.order = order;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    ServerHttpRequest request = exchange.getRequest();
    Optional<List<String>> segments =
        rules.segments(request.getPath().pathWithinApplication().value());
    if (segments.isEmpty()) {
      return Refusals.write(exchange, PATH_AMBIGUOUS);
    }
    Optional<String> operation = rules.operation(request.getMethod().name(), segments.get());
    if (operation.isEmpty()) {
      return chain.filter(exchange);
    }
    return shown(exchange)
        .map(Optional::of)
        .defaultIfEmpty(Optional.empty())
        .flatMap(shown -> limit(exchange, chain, operation.get(), shown));
  }

  private Mono<Void> limit(
      ServerWebExchange exchange, WebFilterChain chain, String operation, Optional<String> shown) {
    Optional<String> subject = shown.flatMap(rules::subject);
    if (subject.isEmpty()) {
      return Refusals.write(exchange, shown.isEmpty() ? KEY_MISSING : KEY_INVALID);
    }
    Ask ask = Ask.of(subject.get(), operation)
        .ticket(Optional.ofNullable(
            exchange.getRequest().getHeaders().getFirst(AnswerFields.RETRY_TICKET)));
    return Mono.usingWhen(
        Mono.fromCompletionStage(() -> rules.weir().enter(ask))
            .map(Entered::of)
            .onErrorResume(
                StoreUnavailableException.class,
                e -> Mono.just(Entered.refused(Problem.unavailable())))
            .onErrorResume(
                UnknownSubjectException.class, e -> Mono.just(Entered.refused(KEY_INVALID))),
        entered -> entered.problem().isPresent()
            ? Refusals.write(entered.noted(exchange), entered.problem().get())
            : chain.filter(entered.noted(exchange)),
        entered -> Mono.fromRunnable(entered::close));
  }

  private record Entered(Optional<Permit> permit, Optional<Problem> problem) {
    static Entered of(Permit permit) {
      Optional<Problem> problem = permit
          .decision()
          .fold(
              allowed -> Optional.empty(),
              (Denied denied) -> Optional.of(Problem.of(denied)),
              (NeverAllowed never) -> Optional.of(Problem.of(never)));
      return new Entered(Optional.of(permit), problem);
    }

    static Entered refused(Problem problem) {
      return new Entered(Optional.empty(), Optional.of(problem));
    }

    ServerWebExchange noted(ServerWebExchange exchange) {
      permit.ifPresent(
          known -> AnswerFields.set(known.decision(), exchange.getResponse().getHeaders()::set));
      return exchange;
    }

    void close() {
      permit.ifPresent(Permit::close);
    }
  }

  private Mono<String> shown(ServerWebExchange exchange) {
    ServerHttpRequest request = exchange.getRequest();
    return switch (rules.from()) {
      case HEADER -> Mono.justOrEmpty(request.getHeaders().getFirst(rules.name()));
      case PRINCIPAL -> exchange.getPrincipal().map(Principal::getName);
      case CLAIM ->
        exchange.getPrincipal().flatMap(known -> Mono.justOrEmpty(Claims.of(known, rules.name())));
      case ADDRESS -> Mono.justOrEmpty(address(request.getRemoteAddress()));
    };
  }

  private static Optional<String> address(@Nullable InetSocketAddress from) {
    return Optional.ofNullable(from)
        .flatMap(known -> Optional.ofNullable(known.getAddress()))
        .map(InetAddress::getHostAddress);
  }
}
