package orders;

import io.weir.spring.call.Permitted;
import io.weir.spring.call.RateLimited;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
public class OrdersApplication {
  public static void main(String[] arguments) {
    SpringApplication.run(OrdersApplication.class, arguments);
  }

  /** Its requests are limited by the filter. */
  @RestController
  record Orders(Index index) {
    @GetMapping("/orders/{id}")
    String order(@PathVariable String id) {
      return "order " + id;
    }

    @GetMapping("/search")
    String search(@RequestParam String text) {
      return index.search(text);
    }

    @GetMapping("/report")
    String report() {
      return index.report();
    }
  }

  /** Its methods are limited themselves. */
  @Service
  static class Index {
    @RateLimited(operation = "Search", cost = "1 + #text.length()", key = "'index'")
    String search(String text) {
      return "found " + text;
    }

    @Permitted(operation = "Report", key = "'index'")
    String report() {
      return "report";
    }
  }
}
