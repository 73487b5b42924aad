package io.weir.spring.gateway;

import java.util.List;
import java.util.function.Function;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** The filter {@code Weir} of a route: limits its requests, with the answers of Weir's own gateway. */
public final class WeirGatewayFilterFactory extends AbstractGatewayFilterFactory<RouteArguments> {
  private final Limit limit;

  /** Limits an exchange by an operation, or passes it on. */
  @FunctionalInterface
  public interface Limit {
    /** Completes when the exchange is over. */
    Mono<Void> limit(
        ServerWebExchange exchange,
        String operation,
        Function<ServerWebExchange, Mono<Void>> chain);
  }

  /** A factory whose filters limit each exchange in this way. */
  public WeirGatewayFilterFactory(Limit limit) {
    super(RouteArguments.class);
    this.limit = limit;
  }

  @Override
  public List<String> shortcutFieldOrder() {
    return List.of("operation");
  }

  @Override
  public GatewayFilter apply(RouteArguments arguments) {
    return (exchange, chain) -> limited(arguments, exchange, chain);
  }

  private Mono<Void> limited(
      RouteArguments arguments, ServerWebExchange exchange, GatewayFilterChain chain) {
    Route route = exchange.getRequiredAttribute(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR);
    String operation = arguments.orElse(route.getId());
    return limit.limit(exchange, operation, chain::filter);
  }
}
