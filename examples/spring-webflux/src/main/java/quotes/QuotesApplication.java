package quotes;

import io.weir.spring.call.RateLimited;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@SpringBootApplication
public class QuotesApplication {
  public static void main(String[] arguments) {
    SpringApplication.run(QuotesApplication.class, arguments);
  }

  /** Its requests are limited by the filter. */
  @RestController
  record Orders(Index index) {
    @GetMapping("/orders/{id}")
    Mono<String> order(@PathVariable String id) {
      return Mono.just("order " + id);
    }

    @GetMapping("/search")
    Mono<String> search(@RequestParam String text) {
      return index.search(text);
    }
  }

  /** Its methods are limited themselves, and never block. */
  @Service
  static class Index {
    @RateLimited(operation = "Search", cost = "1 + #text.length()", key = "'index'")
    Mono<String> search(String text) {
      return Mono.just("found " + text);
    }
  }
}
