package edge;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

@SpringBootApplication
public class EdgeApplication {
  public static void main(String[] arguments) {
    SpringApplication.run(EdgeApplication.class, arguments);
  }

  /** For the gateway's own filter. */
  @Bean
  KeyResolver users() {
    return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-User"));
  }
}
