package edge;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class EdgeApplication {
  public static void main(String[] arguments) {
    SpringApplication.run(EdgeApplication.class, arguments);
  }
}
