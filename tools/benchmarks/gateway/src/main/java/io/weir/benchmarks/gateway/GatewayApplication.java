package io.weir.benchmarks.gateway;

import java.security.Principal;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** A gateway that answers by itself, with no limit, with its own limiter, and with Weir's, route by route. */
@SpringBootApplication
public class GatewayApplication {
  private static final String USER = "X-User";

  public static void main(String[] arguments) {
    SpringApplication.run(GatewayApplication.class, arguments);
  }

  /** The caller of every route: the user that it names. */
  @Bean
  @Order(-1000)
  WebFilter named() {
    return (exchange, chain) -> {
      String user = exchange.getRequest().getHeaders().getFirst(USER);
      return user == null
          ? chain.filter(exchange)
          : chain.filter(exchange.mutate().principal(Mono.just((Principal) () -> user)).build());
    };
  }

  /** The same for the gateway's own filter. */
  @Bean
  KeyResolver users() {
    return exchange -> exchange.getPrincipal().map(Principal::getName);
  }
}
