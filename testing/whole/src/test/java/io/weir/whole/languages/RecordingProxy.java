package io.weir.whole.languages;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/** A proxy before a node that keeps requests and answers, or a node that cannot answer. Owned by the test that started it. */
final class RecordingProxy implements AutoCloseable {
  private static final List<String> REQUEST_HEADERS =
      List.of("X-Api-Key", "Authorization", "Content-Type", "Prefer", "Retry-Ticket");
  private static final List<String> ANSWER_HEADERS =
      List.of("Content-Type", "Retry-After", "Retry-After-Ms", "Retry-Ticket", "Proxy-Status");

  /** What becomes of requests. */
  enum Mode {
    FORWARD,
    /** They are answered with 503. */
    REFUSE,
    /** They are not answered. */
    STALL
  }

  /** A request and its answer, with the instants at which they passed. */
  record Exchange(
      Optional<String> ticket,
      String request,
      long askedNanos,
      Answer answer,
      long answeredNanos) {}

  /** An answer. */
  record Answer(int status, Optional<String> ticket, long retryAfterMillis, String body) {}

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI node;
  private final Mode mode;
  private final Optional<String> firstCheck;
  private final AtomicBoolean isBegun = new AtomicBoolean();
  private final List<Exchange> exchanges = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** @param firstCheck is made when the first request has arrived, before it is forwarded */
  RecordingProxy(URI node, Mode mode, Optional<String> firstCheck) {
    this.node = node;
    this.mode = mode;
    this.firstCheck = firstCheck;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::serve);
    server.setExecutor(threads);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** What has passed so far, in the order of the answers. */
  List<Exchange> exchanges() {
    return List.copyOf(exchanges);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      long asked = System.nanoTime();
      byte[] body = exchange.getRequestBody().readAllBytes();
      switch (mode) {
        case FORWARD -> forward(exchange, body, asked);
        case REFUSE -> exchange.sendResponseHeaders(503, -1);
        case STALL -> closed.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void forward(HttpExchange exchange, byte[] body, long asked)
      throws IOException, InterruptedException {
    if (firstCheck.isPresent() && isBegun.compareAndSet(false, true)) {
      client.send(
          HttpRequest.newBuilder(node.resolve("/v1/check"))
              .POST(BodyPublishers.ofString(firstCheck.get()))
              .build(),
          BodyHandlers.ofString());
    }
    HttpRequest.Builder request = HttpRequest.newBuilder(node.resolve(exchange.getRequestURI()))
        .method(
            exchange.getRequestMethod(),
            body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    for (String name : REQUEST_HEADERS) {
      Optional.ofNullable(exchange.getRequestHeaders().getFirst(name))
          .ifPresent(value -> request.header(name, value));
    }
    HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
    for (String name : ANSWER_HEADERS) {
      answer
          .headers()
          .firstValue(name)
          .ifPresent(value -> exchange.getResponseHeaders().set(name, value));
    }
    // Kept before its caller has it, so that its next request is later in the list.
    exchanges.add(new Exchange(
        Optional.ofNullable(exchange.getRequestHeaders().getFirst("Retry-Ticket")),
        new String(body, UTF_8),
        asked,
        new Answer(
            answer.statusCode(),
            answer.headers().firstValue("Retry-Ticket"),
            answer.headers().firstValueAsLong("Retry-After-Ms").orElse(0),
            answer.body()),
        System.nanoTime()));
    byte[] text = answer.body().getBytes(UTF_8);
    exchange.sendResponseHeaders(answer.statusCode(), text.length == 0 ? -1 : text.length);
    exchange.getResponseBody().write(text);
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
