package io.weir.whole.soak;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.weir.testkit.RealTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The upstream of the nodes: it counts requests at once, and executions of jobs. Safe for use by many threads. */
final class SoakUpstream implements AutoCloseable {
  private static final Duration WORK = Duration.ofMillis(100);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;
  private final AtomicInteger held = new AtomicInteger();

  final AtomicInteger mostHeld = new AtomicInteger();
  /** By the number of the job, which is its body. */
  final Map<String, Integer> executions = new ConcurrentHashMap<>();

  SoakUpstream() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", exchange -> answer(exchange, ""));
    server.createContext("/hold", exchange -> {
      mostHeld.accumulateAndGet(held.incrementAndGet(), Math::max);
      RealTime.pass(WORK);
      held.decrementAndGet();
      answer(exchange, "");
    });
    server.createContext("/report", exchange -> {
      String number = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      executions.merge(number, 1, Integer::sum);
      answer(exchange, "of " + number);
    });
    server.start();
  }

  private static void answer(HttpExchange exchange, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
