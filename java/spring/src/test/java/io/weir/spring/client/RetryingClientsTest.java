package io.weir.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Clients of Spring against a server that denies the first call, and admits the one with its ticket. */
final class RetryingClientsTest {
  private static final String TICKET = "1795640914250000.1.1.89770d379933ee995371";

  private final Retryer retryer = Retryer.of(RetryOptions.DEFAULT, RetryListener.NONE);
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String ticket = exchange.getRequestHeaders().getFirst("Retry-Ticket");
    seen.add(exchange.getRequestHeaders().getFirst("Prefer") + " " + ticket);
    boolean isAdmitted = TICKET.equals(ticket);
    if (!isAdmitted) {
      exchange.getResponseHeaders().set("Retry-After", "1");
      exchange.getResponseHeaders().set("Retry-After-Ms", "20");
      exchange.getResponseHeaders().set("Retry-Ticket", TICKET);
    }
    byte[] body = (isAdmitted ? "order" : "denied").getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(isAdmitted ? 200 : 429, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/orders/1";
  }

  @Test
  void aRestClientKeepsItsSlot() {
    var executor = Executors.newCachedThreadPool();
    try {
      RetryingInterceptor retrying = new RetryingInterceptor(retryer, executor);
      RestClient.Builder builder =
          RestClient.builder().requestFactory(new JdkClientHttpRequestFactory());
      RestClient client = builder.requestInterceptor(retrying).build();
      assertThat(client.get().uri(url()).retrieve().body(String.class)).isEqualTo("order");
    } finally {
      executor.shutdownNow();
    }
    assertThat(seen).containsExactly("retry-ticket null", "retry-ticket " + TICKET);
  }

  @Test
  void aWebClientKeepsItsSlot() {
    WebClient client = WebClient.builder()
        .clientConnector(new JdkClientHttpConnector())
        .filter(new RetryingExchangeFilter(retryer))
        .build();
    assertThat(client.get().uri(url()).retrieve().bodyToMono(String.class).block())
        .isEqualTo("order");
    assertThat(seen).containsExactly("retry-ticket null", "retry-ticket " + TICKET);
  }
}
