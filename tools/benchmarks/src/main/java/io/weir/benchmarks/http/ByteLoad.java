package io.weir.benchmarks.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Callers with one request in flight each: the answer sends the next. Requests are prepared bytes, and only status
 * and length of answers are parsed, so that the load costs little compared with the measured server.
 */
final class ByteLoad implements AutoCloseable {
  private static final int SIGNIFICANT_DIGITS = 3;

  private final LoadLoop loop = new LoadLoop();
  private final NetClient client = loop.vertx().createNetClient();
  private final AnswerFormat format;
  private final Optional<Buffer> opening;

  /** Callers of HTTP. */
  ByteLoad() {
    this(AnswerFormat.HTTP, Optional.empty());
  }

  /** @param opening what each connection sends first; its answer is not counted */
  ByteLoad(AnswerFormat format, Optional<Buffer> opening) {
    this.format = format;
    this.opening = opening;
  }

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
    LoadLoop.join(Future.all(ends), duration);
    return new Seen(run.nanos, run.unlike, (System.nanoTime() - began) / 1e9);
  }

  /** Sends each request once, and returns the number of answers without success. */
  long sendEach(int port, List<Buffer> requests) {
    Run run = new Run(requests, Long.MAX_VALUE, 0);
    LoadLoop.join(
        client.connect(port, "127.0.0.1").compose(socket -> new Caller(run, socket).runThrough()),
        Duration.ZERO);
    return run.unlike;
  }

  @Override
  public void close() {
    loop.close();
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
    private boolean isOpened = opening.isEmpty();

    Caller(Run run, NetSocket socket) {
      this.run = run;
      this.socket = socket;
      socket.handler(this::received);
      socket.closeHandler(closed -> end.tryFail("the server closed the connection"));
      socket.exceptionHandler(end::tryFail);
    }

    Future<Void> run() {
      opening.ifPresentOrElse(socket::write, this::ask);
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
      if (!format.isWhole(bytes)) {
        return;
      }
      partial = null;
      if (!isOpened) {
        isOpened = true;
        ask();
        return;
      }
      run.nanos.recordValue(System.nanoTime() - asked);
      if (!format.isSuccess(bytes)) {
        run.unlike++;
      }
      if (run.pauseMillis == 0) {
        ask();
      } else {
        loop.vertx().setTimer(run.pauseMillis, fired -> ask());
      }
    }
  }
}
