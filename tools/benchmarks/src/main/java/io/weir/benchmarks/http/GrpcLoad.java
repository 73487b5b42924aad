package io.weir.benchmarks.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.weir.benchmarks.http.ByteLoad.Seen;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** Callers of one method of gRPC with one call in flight each, over a few connections, as a proxy calls. */
final class GrpcLoad implements AutoCloseable {
  private static final int SIGNIFICANT_DIGITS = 3;
  private static final int CONNECTIONS = 4;

  private final LoadLoop loop = new LoadLoop();
  private final HttpClient client = loop.vertx()
      .createHttpClient(
          new HttpClientOptions()
              .setProtocolVersion(HttpVersion.HTTP_2)
              .setHttp2ClearTextUpgrade(false),
          new PoolOptions().setHttp2MaxSize(CONNECTIONS));

  /** A method, and the messages to send to it. */
  record Method(int port, String path, String token, List<Buffer> messages) {}

  /** Keeps so many calls in flight for the duration. */
  Seen run(Method method, int calls, Duration duration) {
    RequestOptions options = new RequestOptions()
        .setMethod(HttpMethod.POST)
        .setHost("127.0.0.1")
        .setPort(method.port())
        .setURI(method.path())
        .putHeader("content-type", "application/grpc")
        .putHeader("te", "trailers")
        .putHeader("authorization", "Bearer " + method.token());
    Run run = new Run(options, method.messages(), System.nanoTime() + duration.toNanos());
    long began = System.nanoTime();
    LoadLoop.join(
        Future.all(IntStream.range(0, calls).mapToObj(i -> run.calls()).toList()), duration);
    return new Seen(run.nanos, run.unlike, (System.nanoTime() - began) / 1e9);
  }

  @Override
  public void close() {
    loop.close();
  }

  /** A message with the five bytes that gRPC has before it. */
  static Buffer framed(Buffer message) {
    return Buffer.buffer().appendByte((byte) 0).appendInt(message.length()).appendBuffer(message);
  }

  // A field of protobuf: a message or a text that is shorter than 128 bytes.
  private static Buffer field(int number, Buffer content) {
    return Buffer.buffer()
        .appendByte((byte) (number << 3 | 2))
        .appendByte((byte) content.length())
        .appendBuffer(content);
  }

  /** Envoy's message for one descriptor with one entry. */
  static Buffer rateLimitRequest(String domain, String key, String value) {
    Buffer entry = field(1, text(key)).appendBuffer(field(2, text(value)));
    return field(1, text(domain)).appendBuffer(field(2, field(1, entry)));
  }

  private static Buffer text(String text) {
    return Buffer.buffer(text.getBytes(UTF_8));
  }

  /** The counts of a run, on one event loop. */
  private final class Run {
    private final RequestOptions options;
    private final List<Buffer> messages;
    private final long until;
    private final Histogram nanos = new Histogram(SIGNIFICANT_DIGITS);
    private long unlike;

    Run(RequestOptions options, List<Buffer> messages, long until) {
      this.options = options;
      this.messages = messages;
      this.until = until;
    }

    Future<Void> calls() {
      Promise<Void> end = Promise.promise();
      call(end);
      return end.future();
    }

    private void call(Promise<Void> end) {
      long began = System.nanoTime();
      if (began - until >= 0) {
        end.complete();
        return;
      }
      Buffer message = messages.get(ThreadLocalRandom.current().nextInt(messages.size()));
      client
          .request(options)
          .compose(request -> request.send(message))
          .compose(response -> response.end().map(response))
          .onFailure(end::tryFail)
          .onSuccess(response -> {
            nanos.recordValue(System.nanoTime() - began);
            unlike += isOk(response) ? 0 : 1;
            call(end);
          });
    }

    private boolean isOk(HttpClientResponse response) {
      return response.statusCode() == 200 && "0".equals(response.getTrailer("grpc-status"));
    }
  }
}
