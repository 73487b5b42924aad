package io.weir.spring.web;

import static io.weir.spring.web.RequestRules.PATH_AMBIGUOUS;

import java.util.List;
import java.util.Optional;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Limits the requests of WebFlux; never blocks. */
public final class WeirWebFilter implements WebFilter, Ordered {
  private final RequestRules rules;
  private final ExchangeLimit limit;
  private final int order;

  /** @param order among the filters */
  public WeirWebFilter(RequestRules rules, int order) {
    this.rules = rules;
    this.limit = new ExchangeLimit(rules);
    this.order = order;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    ServerHttpRequest request = exchange.getRequest();
    if (CorsUtils.isPreFlightRequest(request)) {
      return chain.filter(exchange);
    }
    String path = request.getPath().pathWithinApplication().value();
    Optional<List<String>> segments = rules.segments(path);
    if (segments.isEmpty()) {
      return rules.mayConcern(path)
          ? Refusals.write(exchange, PATH_AMBIGUOUS)
          : chain.filter(exchange);
    }
    return rules
        .operation(request.getMethod().name(), segments.get())
        .map(operation -> limit.limit(exchange, operation, chain::filter))
        .orElseGet(() -> chain.filter(exchange));
  }
}
