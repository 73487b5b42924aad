package io.weir.operators.warning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import io.weir.operators.warning.WebhookSender.Message;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a sender does with receivers of all kinds. */
final class WebhookSenderTest {
  private static final RetryOptions QUICK = RetryOptions.DEFAULT.with(options ->
      options.attempts(3).initialBackoff(Duration.ofMillis(1)).maxBackoff(Duration.ofMillis(2)));

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<String> ids = new CopyOnWriteArrayList<>();
  private final List<String> stamps = new CopyOnWriteArrayList<>();
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private final List<String> reasons = new CopyOnWriteArrayList<>();
  private final RetryListener listener = new RetryListener() {
    @Override
    public void retrying(String upstream, String reason, Duration wait) {
      reasons.add(reason);
    }
  };
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile Instant now = Instant.parse("2026-01-02T03:04:05Z");
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.start();
  }

  @AfterEach
  void end() {
    server.stop(0);
    threads.shutdownNow();
  }

  private interface Answer {
    void to(HttpExchange exchange) throws IOException;
  }

  private WebhookSender sender(Answer answer) {
    server.createContext("/in", exchange -> {
      ids.add(exchange.getRequestHeaders().getFirst("webhook-id"));
      bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      answer.to(exchange);
    });
    return sender("http://127.0.0.1:%d/in".formatted(server.getAddress().getPort()));
  }

  private WebhookSender sender(String url) {
    Receiver receiver = new Receiver("ops", URI.create(url), List.of(new byte[32]));
    HttpClient client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    return new WebhookSender(
        receiver, client, Retryer.of(QUICK, listener), new WarningMeters(registry), () -> now);
  }

  private static void status(HttpExchange exchange, int status) throws IOException {
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  private double count(String outcome) {
    return registry.get("throttle.warnings").tag("outcome", outcome).counter().count();
  }

  private static void send(WebhookSender to, String id, String key, String tenant) {
    to.place(key, tenant).ifPresent(place -> to.send(new Message(id, "{}"), place));
  }

  @Test
  void whatIsTakenIsSentOnce() {
    WebhookSender sender = sender(exchange -> status(exchange, 204));
    send(sender, "one", "k", "acme");
    send(sender, "two", "k", "acme");
    await().untilAsserted(() -> assertThat(count("delivered")).isEqualTo(2));
    assertThat(ids).containsExactly("one", "two");
    assertThat(bodies).containsExactly("{}", "{}");
  }

  @Test
  void whatFailsIsSentAgainWithTheSameId() {
    WebhookSender sender = sender(exchange -> status(exchange, ids.size() < 3 ? 503 : 200));
    send(sender, "one", "k", "acme");
    await().untilAsserted(() -> assertThat(count("delivered")).isEqualTo(1));
    assertThat(ids).containsExactly("one", "one", "one");
  }

  @Test
  void anyAnswerButSuccessIsWorthAnotherAttempt() {
    WebhookSender sender = sender(exchange -> status(exchange, ids.size() < 3 ? 404 : 200));
    send(sender, "one", "k", "acme");
    await().untilAsserted(() -> assertThat(count("delivered")).isEqualTo(1));
    assertThat(ids).containsExactly("one", "one", "one");
    assertThat(reasons).containsExactly("404", "404");
  }

  @Test
  void whatWaitedTooLongBehindASlowReceiverIsGivenUpAndTheRestIsSignedAnew() {
    CountDownLatch go = new CountDownLatch(1);
    WebhookSender sender = sender(exchange -> {
      stamps.add(exchange.getRequestHeaders().getFirst("webhook-timestamp"));
      try {
        go.await();
      } catch (InterruptedException e) {
        throw new UncheckedIOException(new IOException(e));
      }
      status(exchange, 200);
    });
    send(sender, "first", "k", "acme");
    send(sender, "old", "k", "acme");
    now = now.plus(Duration.ofMinutes(3));
    send(sender, "newer", "k", "acme");
    now = now.plus(Duration.ofMinutes(3));
    go.countDown();
    await().untilAsserted(() -> assertThat(count("delivered")).isEqualTo(2));
    assertThat(count("failed")).isEqualTo(1);
    assertThat(ids).containsExactly("first", "newer");
    assertThat(stamps.get(1)).isEqualTo(Long.toString(now.getEpochSecond()));
  }

  @Test
  void aSenderThatEndsSendsNoMore() {
    CountDownLatch go = new CountDownLatch(1);
    WebhookSender sender = sender(exchange -> {
      try {
        go.await();
      } catch (InterruptedException e) {
        throw new UncheckedIOException(new IOException(e));
      }
      status(exchange, 200);
    });
    send(sender, "one", "k", "acme");
    send(sender, "two", "k", "acme");
    await().until(() -> ids.size() == 1);
    sender.close();
    go.countDown();
    await().untilAsserted(() -> assertThat(count("failed")).isEqualTo(1));
    assertThat(ids).containsExactly("one");
  }

  @Test
  void aReceiverThatIsDownIsGivenUp() {
    server.stop(0);
    WebhookSender sender =
        sender("http://127.0.0.1:%d/in".formatted(server.getAddress().getPort()));
    send(sender, "one", "k", "acme");
    send(sender, "two", "k", "acme");
    await().untilAsserted(() -> assertThat(count("failed")).isEqualTo(2));
  }

  @Test
  void aRedirectIsNotFollowed() {
    server.createContext("/elsewhere", exchange -> {
      bodies.add("elsewhere");
      status(exchange, 200);
    });
    WebhookSender sender = sender(exchange -> {
      exchange.getResponseHeaders().add("Location", "/elsewhere");
      status(exchange, 307);
    });
    send(sender, "one", "k", "acme");
    await().untilAsserted(() -> assertThat(count("failed")).isEqualTo(1));
    assertThat(bodies).containsOnly("{}");
  }

  @Test
  void anEndlessAnswerIsNotRead() {
    CountDownLatch isCut = new CountDownLatch(1);
    WebhookSender sender = sender(exchange -> {
      exchange.sendResponseHeaders(200, 0);
      try (OutputStream out = exchange.getResponseBody()) {
        byte[] part = new byte[1 << 16];
        while (true) {
          out.write(part);
        }
      } catch (IOException e) {
        isCut.countDown();
        throw e;
      }
    });
    send(sender, "one", "k", "acme");
    await().untilAsserted(() -> assertThat(count("delivered")).isEqualTo(1));
    await().until(() -> isCut.getCount() == 0);
  }

  @Test
  void whatWaitsForASlowReceiverIsBoundedForAKeyATenantAndAll() {
    CountDownLatch go = new CountDownLatch(1);
    WebhookSender sender = sender(exchange -> {
      try {
        go.await();
      } catch (InterruptedException e) {
        throw new UncheckedIOException(new IOException(e));
      }
      status(exchange, 200);
    });
    for (int i = 0; i < 1000; i++) {
      send(sender, "k" + i, "loud", "acme");
    }
    assertThat(count("left_out")).isEqualTo(1000 - 8);
    for (int i = 0; i < 1000; i++) {
      send(sender, "t" + i, "loud" + i, "acme");
    }
    assertThat(count("left_out")).isEqualTo(2000 - 32);
    send(sender, "quiet", "quiet", "other");
    assertThat(count("left_out")).isEqualTo(2000 - 32);
    go.countDown();
    await().untilAsserted(() -> assertThat(count("delivered")).isEqualTo(33));
    assertThat(ids).endsWith("quiet");
  }

  @Test
  void garbageInsteadOfHttpIsAFailure() throws IOException {
    try (java.net.ServerSocket garbage =
        new java.net.ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      threads.execute(() -> {
        try {
          while (true) {
            try (java.net.Socket socket = garbage.accept()) {
              socket
                  .getOutputStream()
                  .write("garbage\r\n\r\n\0\1\2".getBytes(StandardCharsets.ISO_8859_1));
            }
          }
        } catch (IOException e) {
          // closed: the test is over
        }
      });
      WebhookSender sender = sender("http://127.0.0.1:%d/in".formatted(garbage.getLocalPort()));
      send(sender, "one", "k", "acme");
      await().untilAsserted(() -> assertThat(count("failed")).isEqualTo(1));
    }
  }
}
