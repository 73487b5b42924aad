package io.weir.benchmarks.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * HTTP callers with one request in flight each: the answer sends the next. Requests are prepared bytes, and only status
 * and length of answers are parsed, so that the load costs little compared with the measured server.
 */
final class HttpLoad implements AutoCloseable {
  private static final int SIGNIFICANT_DIGITS = 3;
  private static final byte[] END_OF_HEAD = "\r\n\r\n".getBytes(US_ASCII);
  private static final byte[] LENGTH = "content-length:".getBytes(US_ASCII);

  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true));
  private final NetClient client = vertx.createNetClient();

  /** The results of one run. */
  record Seen(Histogram nanos, long unlike, double seconds) {}

  /** Opens the connections and keeps a request in flight on each for the duration. */
  Seen run(int port, int connections, List<Buffer> requests, Duration duration) {
    return run(port, connections, requests, duration, 0);
  }

  /** The same with a pause after each answer. */
  Seen run(int port, int connections, List<Buffer> requests, Duration duration, long pauseMillis) {
    Run run = new Run(requests, System.nanoTime() + duration.toNanos(), pauseMillis);
    List<Future<Void>> ends = new ArrayList<>();
    long began = System.nanoTime();
    for (int i = 0; i < connections; i++) {
      ends.add(client.connect(port, "127.0.0.1").compose(socket -> new Caller(run, socket).run()));
    }
    Future.all(ends)
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(duration.toSeconds() + 60, TimeUnit.SECONDS)
        .join();
    return new Seen(run.nanos, run.unlike, (System.nanoTime() - began) / 1e9);
  }

  /** Sends each request once, and returns the number of answers other than 200. */
  long sendEach(int port, List<Buffer> requests) {
    Run run = new Run(requests, Long.MAX_VALUE, 0);
    client
        .connect(port, "127.0.0.1")
        .compose(socket -> new Caller(run, socket).runThrough())
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
    return run.unlike;
  }

  @Override
  public void close() {
    vertx
        .close()
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(10, TimeUnit.SECONDS)
        .join();
  }

  /** The counts of a run, on one event loop. */
  private static final class Run {
    private final List<Buffer> requests;
    private final long until;
    private final long pauseMillis;
    private final Histogram nanos = new Histogram(SIGNIFICANT_DIGITS);
    private long unlike;

    Run(List<Buffer> requests, long until, long pauseMillis) {
      this.requests = requests;
      this.until = until;
      this.pauseMillis = pauseMillis;
    }
  }

  /** One connection. */
  private final class Caller {
    private final Run run;
    private final NetSocket socket;
    private final Promise<Void> end = Promise.promise();
    private byte @Nullable [] partial;
    private long asked;
    private int left = -1;

    Caller(Run run, NetSocket socket) {
      this.run = run;
      this.socket = socket;
      socket.handler(this::received);
      socket.closeHandler(closed -> end.tryFail("the server closed the connection"));
      socket.exceptionHandler(end::tryFail);
    }

    Future<Void> run() {
      ask();
      return end.future();
    }

    Future<Void> runThrough() {
      left = run.requests.size();
      return run();
    }

    private void ask() {
      asked = System.nanoTime();
      boolean isOver = left < 0 ? asked - run.until >= 0 : left == 0;
      if (isOver) {
        end.tryComplete();
        socket.close();
        return;
      }
      int which = left < 0 ? ThreadLocalRandom.current().nextInt(run.requests.size()) : --left;
      socket.write(run.requests.get(which));
    }

    private void received(Buffer buffer) {
      byte[] bytes = partial == null
          ? buffer.getBytes()
          : Buffer.buffer(partial).appendBuffer(buffer).getBytes();
      partial = bytes;
      int head = indexOf(bytes, END_OF_HEAD);
      if (head < 0 || bytes.length < head + END_OF_HEAD.length + length(bytes)) {
        return;
      }
      partial = null;
      run.nanos.recordValue(System.nanoTime() - asked);
      if (bytes[9] != '2' || bytes[10] != '0' || bytes[11] != '0') {
        run.unlike++;
      }
      if (run.pauseMillis == 0) {
        ask();
      } else {
        vertx.setTimer(run.pauseMillis, fired -> ask());
      }
    }

    private static int length(byte[] bytes) {
      int digit = indexOf(bytes, LENGTH) + LENGTH.length;
      if (digit < LENGTH.length) {
        throw new IllegalStateException("an answer without a length");
      }
      int length = 0;
      for (; bytes[digit] != '\r'; digit++) {
        length = bytes[digit] == ' ' ? length : length * 10 + bytes[digit] - '0';
      }
      return length;
    }

    // Ignores the case of letters.
    private static int indexOf(byte[] bytes, byte[] part) {
      for (int i = 0; i <= bytes.length - part.length; i++) {
        int same = 0;
        while (same < part.length && lower(bytes[i + same]) == part[same]) {
          same++;
        }
        if (same == part.length) {
          return i;
        }
      }
      return -1;
    }

    private static int lower(byte letter) {
      return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
    }
  }
}
