package io.weir.spring.web;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.library.Weir;
import io.weir.spring.WeirProperties;
import io.weir.spring.WeirProperties.Operation;
import io.weir.spring.WeirProperties.Web;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** A server whose requests are limited in turn with others, which are answered at once. */
final class ReplyThreadTest {
  private static final String POLICY = """
      buckets:
        - { name: asks, burstPeriod: 1000, throttleGroups: [{ opsPerSec: 1000, operations: [Ask] }] }
      subjects: [{ match: "*", tenant: acme }]
      """;
  private static final int REQUESTS = 2000;
  private static final int TIMEOUT_MILLIS = 10_000;

  @Test
  void everyRequestOfAConnectionIsAnsweredOnItsEventLoop() throws IOException {
    Set<String> threads = ConcurrentHashMap.newKeySet();
    try (Weir weir = Weir.inMemory(POLICY)) {
      DisposableServer server = HttpServer.create()
          .host("127.0.0.1")
          .port(0)
          .handle(new ReactorHttpHandlerAdapter(handler(weir, threads)))
          .bindNow();
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        socket.setSoTimeout(TIMEOUT_MILLIS);
        for (int i = 0; i < REQUESTS; i++) {
          String path = i % 2 == 0 ? "/ask" : "/other";
          socket
              .getOutputStream()
              .write("GET %s HTTP/1.1\r\nHost: h\r\n\r\n".formatted(path).getBytes(US_ASCII));
          assertThat(head(socket.getInputStream())).startsWith("HTTP/1.1 200");
        }
      } finally {
        server.disposeNow();
      }
    }
    assertThat(threads).hasSize(1);
  }

  private static HttpHandler handler(Weir weir, Set<String> threads) {
    Web web = new Web(
        true,
        0,
        new WeirProperties.Key(WeirProperties.From.ADDRESS, ""),
        List.of(new Operation("/ask", Set.of(), "Ask")));
    return WebHttpHandlerBuilder.webHandler(exchange -> {
          threads.add(Thread.currentThread().getName());
          exchange.getResponse().setStatusCode(HttpStatus.OK);
          return exchange.getResponse().setComplete();
        })
        .filter(new WeirWebFilter(new RequestRules(weir, web), 0))
        .build();
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int read = in.read();
      if (read < 0) {
        throw new IOException("closed after " + head);
      }
      head.append((char) read);
    }
    return head.toString();
  }
}
