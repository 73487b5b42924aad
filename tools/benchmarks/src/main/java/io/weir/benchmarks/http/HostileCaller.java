package io.weir.benchmarks.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One caller that makes ten kinds of attack at once: slow uploads, incomplete batches, long bodies, stalls, malformed
 * requests and floods. Each has a fixed rate, so that the load is on the node and not on the caller. Safe for use by
 * the threads of its timer.
 */
@SuppressWarnings("FutureReturnValueIgnored") // its work ends with the timer
final class HostileCaller {
  private static final String CHUNKED = "Transfer-Encoding: chunked";
  private static final int READ_MILLIS = 100;
  private static final String NUMBER = "##########";
  private static final int BYTES = 2_000_000;

  private final int port;
  private final String key;
  private final LongAdder sent = new LongAdder();
  private final Map<String, Queue<Socket>> held = new LinkedHashMap<>();

  /** @param key sent in each request */
  HostileCaller(int port, String key) {
    this.port = port;
    this.key = key;
  }

  /** The number of requests begun. */
  long sent() {
    return sent.sum();
  }

  void begin(ScheduledExecutorService timer) {
    String upload = head("POST", "/upload", "Content-Length: 1000000");
    holds(timer, "slow uploads", 200, 20, upload + "x", "x");
    holds(timer, "idle chunked batches", 40, 20, head("POST", "/v1/batch", CHUNKED), "");
    holds(timer, "idle chunked uploads", 40, 20, head("POST", "/upload", CHUNKED), "");
    holds(timer, "half a head", 100, 20, "GET /ping HTTP/1.1\r\nHost: x\r\nX-A: ", "b");
    String gas = "{\"gas\":1,\"x\":\"" + "x".repeat(BYTES) + "\"}";
    every(timer, 100, head("POST", "/gas", "Content-Length: " + gas.length()) + gas);
    String nonsense = "{" + "\"a\":1,".repeat(BYTES / 6) + "\"b\":1}";
    every(timer, 200, body("/v1/batch", nonsense));
    String objects = "{\"items\":[{\"method\":\"POST\",\"path\":\"/upload\",\"body\":["
        + "{},".repeat(BYTES / 3) + "{}]}]}";
    every(timer, 200, body("/v1/batch", objects));
    every(timer, 50, body("/v1/check", "{" + "\"a\":1,".repeat(30_000) + "\"b\":1}"));
    every(timer, 10, head("GET", "/ping", "Prefer: \"" + "a".repeat(3000)));
    every(timer, 2, head("GET", "/ping", "X-Flood: 1"));
    every(
        timer,
        20,
        body(
            "/v1/batch",
            "{\"items\":[{\"method\":\"GET\",\"path\":\"/ping\",\"idempotencyKey\":\"" + NUMBER
                + "\"}]}"));
  }

  void end() throws IOException {
    for (Queue<Socket> sockets : held.values()) {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private String head(String method, String path, String header) {
    return "%s %s HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\n%s\r\n\r\n"
        .formatted(method, path, key, header);
  }

  private String body(String path, String json) {
    return head("POST", path, "Content-Length: " + json.length()) + json;
  }

  // Keeps connections open and sends a byte now and then; a closed one is replaced.
  private void holds(
      ScheduledExecutorService timer,
      String name,
      int count,
      int everyMillis,
      String begin,
      String more) {
    Queue<Socket> sockets = new ArrayDeque<>();
    held.put(name, sockets);
    timer.scheduleAtFixedRate(
        () -> {
          if (sockets.size() >= count) {
            Socket oldest = sockets.remove();
            if (write(oldest, more)) {
              sockets.add(oldest);
              return;
            }
          }
          Socket opened = open();
          if (opened != null && write(opened, begin)) {
            sent.increment();
            sockets.add(opened);
          }
        },
        0,
        everyMillis,
        TimeUnit.MILLISECONDS);
  }

  private void every(ScheduledExecutorService timer, int millis, String request) {
    byte[] same = request.getBytes(US_ASCII);
    boolean isNumbered = request.contains(NUMBER);
    timer.scheduleAtFixedRate(
        () -> {
          sent.increment();
          byte[] bytes = isNumbered
              ? request.replace(NUMBER, "%010d".formatted(sent.sum())).getBytes(US_ASCII)
              : same;
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(READ_MILLIS);
            socket.getOutputStream().write(bytes);
            socket.getInputStream().read(new byte[1024]);
          } catch (IOException e) {
            // The reaction of the node does not matter.
          }
        },
        0,
        millis,
        TimeUnit.MILLISECONDS);
  }

  private @Nullable Socket open() {
    try {
      return new Socket(InetAddress.getLoopbackAddress(), port);
    } catch (IOException e) {
      return null;
    }
  }

  private static boolean write(Socket socket, String text) {
    try {
      socket.getOutputStream().write(text.getBytes(US_ASCII));
      return socket.getInputStream().available() == 0; // no answer yet
    } catch (IOException e) {
      return false;
    }
  }
}
