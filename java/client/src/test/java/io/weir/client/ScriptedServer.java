package io.weir.client;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A server without any knowledge of Weir that answers as a test wants. Owned by the test. */
public final class ScriptedServer implements AutoCloseable {
  /** Answers the requests of a test. */
  public interface Script {
    /**
     * Answers one request.
     *
     * @param turn the number of the request, from 0
     */
    void answer(int turn, HttpExchange exchange) throws IOException;
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Semaphore arrivals = new Semaphore(0);

  /** The headers of all requests, in the order of arrival. */
  public final List<Headers> requests = new CopyOnWriteArrayList<>();

  /** The lengths of their bodies. */
  public final List<Integer> bodyLengths = new CopyOnWriteArrayList<>();

  /** Their paths and bodies, separated by a space. */
  public final List<String> told = new CopyOnWriteArrayList<>();

  /** Their times of arrival. */
  public final List<Long> cameNanos = new CopyOnWriteArrayList<>();

  public ScriptedServer(Script script) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", exchange -> {
      int turn;
      synchronized (requests) {
        turn = requests.size();
        cameNanos.add(System.nanoTime());
        requests.add(exchange.getRequestHeaders());
      }
      byte[] body = exchange.getRequestBody().readAllBytes();
      bodyLengths.add(body.length);
      told.add(exchange.getRequestURI().getPath() + " " + new String(body, StandardCharsets.UTF_8));
      arrivals.release();
      script.answer(turn, exchange);
      exchange.close();
    });
    server.start();
  }

  /** Ends an exchange with a status, headers and a body. */
  public static void answer(HttpExchange exchange, int status, String body, String... headers)
      throws IOException {
    for (int i = 0; i < headers.length; i += 2) {
      exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** Waits for so many requests with these words, and returns the last of them. */
  public String told(String words, int count) throws InterruptedException {
    for (int i = 0; i < 200; i++) {
      List<String> with = told.stream().filter(one -> one.contains(words)).toList();
      if (with.size() >= count) {
        return with.get(count - 1);
      }
      awaitMore();
    }
    throw new AssertionError("not told: " + words + " in " + told);
  }

  /** Waits for another request, at most a tenth of a second. */
  private void awaitMore() throws InterruptedException {
    arrivals.tryAcquire(100, TimeUnit.MILLISECONDS);
  }

  /** An address of this server. */
  public URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
