package io.weir.batch;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.weir.node.usage.Usage;
import java.util.Optional;

/**
 * The upstream's answer to an item. With a head, the outcome of the item is known: a body that breaks off or is too
 * long is no reason to execute it again.
 *
 * @param body the part of it that is kept
 * @param bodyBytes its whole length
 */
record UpstreamAnswer(int status, MultiMap headers, Buffer body, long bodyBytes) {
  private static final long MOST_LOOKED_INTO = 4 << 10;
  private static final int FIRST_FINAL_STATUS = 200;
  private static final long LONGEST_BYTES = 64L << 20;

  /** The body, if it is whole and short enough to be inspected. */
  Optional<Buffer> shortBody() {
    boolean isShort = bodyBytes <= MOST_LOOKED_INTO && bodyBytes == body.length();
    return isShort ? Optional.of(body) : Optional.empty();
  }

  /** Reads an answer to its end, or as much of it as arrives. */
  static Future<UpstreamAnswer> of(HttpClientResponse response, Optional<Usage> usage) {
    if (response.statusCode() < FIRST_FINAL_STATUS) { // the rest may never end
      Future<Void> unused = response.request().reset();
      return Future.succeededFuture(
          new UpstreamAnswer(response.statusCode(), response.headers(), Buffer.buffer(), 0));
    }
    usage.ifPresent(reader -> reader.head(response.headers()));
    Reader reader = new Reader(response, usage);
    response.handler(reader::take);
    response.exceptionHandler(broken -> reader.end(1));
    response.endHandler(end -> reader.end(0));
    return reader.whole.future();
  }

  /** Mutable; owned by one response, on its event loop. */
  private static final class Reader {
    private final HttpClientResponse response;
    private final Buffer kept = Buffer.buffer();
    private final Promise<UpstreamAnswer> whole = Promise.promise();
    private final Optional<Usage> usage;
    private long bytes;

    Reader(HttpClientResponse response, Optional<Usage> usage) {
      this.response = response;
      this.usage = usage;
    }

    void take(Buffer chunk) {
      bytes += chunk.length();
      usage.ifPresent(reader -> reader.chunk(chunk));
      if (bytes <= Result.MAX_BODY_BYTES) {
        kept.appendBuffer(chunk);
      } else if (bytes > LONGEST_BYTES) {
        response.request().reset();
        end(0);
      }
    }

    // Missing bytes count as at least one, so that a part is not taken for the whole.
    void end(long missing) {
      usage.filter(reader -> missing == 0).ifPresent(reader -> reader.end(response.trailers()));
      whole.tryComplete(
          new UpstreamAnswer(response.statusCode(), response.headers(), kept, bytes + missing));
    }
  }
}
