package io.weir.whole.cluster;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.concurrent.atomic.AtomicInteger;

/** A provider that answers requests without bodies, and fails as a test wants. Safe for use by many threads. */
final class FaultyProvider {
  private static final String END = "\r\n\r\n";
  private static final String FINE = answer("200 OK", "", "fine");

  private final Vertx vertx;
  private volatile Fault fault = Fault.NONE;
  private volatile NetServer server;
  private final int port;

  /** The requests that arrived. */
  final AtomicInteger asked = new AtomicInteger();

  /** The kinds of faults. */
  enum Fault {
    NONE,
    DIES,
    SLOW,
    BUSY,
    FLAPS,
    GARBAGE,
    RESETS
  }

  FaultyProvider(Vertx vertx) throws Exception {
    this.vertx = vertx;
    this.server = listen(0);
    this.port = server.actualPort();
  }

  private NetServer listen(int at) throws Exception {
    return vertx
        .createNetServer()
        .connectHandler(this::serve)
        .listen(at, "127.0.0.1")
        .toCompletionStage()
        .toCompletableFuture()
        .get();
  }

  int port() {
    return port;
  }

  void fails(Fault as) throws Exception {
    if (as == Fault.DIES) {
      server.close().toCompletionStage().toCompletableFuture().get();
    } else if (fault == Fault.DIES) {
      server = listen(port);
    }
    fault = as;
  }

  private void serve(NetSocket socket) {
    socket.exceptionHandler(gone -> {});
    StringBuilder read = new StringBuilder();
    socket.handler(bytes -> {
      read.append(bytes);
      for (int end = read.indexOf(END); end >= 0; end = read.indexOf(END)) {
        read.delete(0, end + END.length());
        asked.incrementAndGet();
        answer(socket);
      }
    });
  }

  private void answer(NetSocket socket) {
    switch (fault) {
      case SLOW -> vertx.setTimer(5000, due -> socket.write(FINE));
      case BUSY -> socket.write(answer("429 Too Many Requests", "Retry-After: 3\r\n", "busy"));
      case FLAPS -> {
        boolean isUp = System.nanoTime() / 1_000_000_000 % 2 == 0;
        socket.write(isUp ? FINE : answer("500 Internal Server Error", "", "down"));
      }
      case GARBAGE -> socket.write(Buffer.buffer(new byte[] {1, 2, 3, 13, 10, 13, 10}));
      case RESETS ->
        socket
            .write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            .onComplete(written -> socket.close());
      default -> socket.write(FINE);
    }
  }

  private static String answer(String status, String headers, String body) {
    return "HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s"
        .formatted(status, headers, body.length(), body);
  }
}
