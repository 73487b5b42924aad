package io.weir.node.batch;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.weir.node.provider.JsonRpcErrors;
import io.weir.node.provider.Outcome;
import io.weir.node.usage.Usage;
import io.weir.upstream.Sending;
import java.time.Clock;
import java.util.Optional;

/**
 * What came back for an item. Once there is a head, it is known what became of the item: a body that breaks
 * off or is too long is no reason to execute it again.
 *
 * @param body as much of it as is kept
 * @param bodyBytes how long it was
 */
record UpstreamAnswer(int status, MultiMap headers, Buffer body, long bodyBytes) {
  private static final long MOST_LOOKED_INTO = 4 << 10;
  private static final int FIRST_FINAL_STATUS = 200;
  private static final long LONGEST_BYTES = 64L << 20;

  /** What it says of the provider that gave it. */
  Outcome outcome(Sending rules) {
    Optional<Outcome> error = rules.isJsonRpc() && status == 200 && bodyBytes <= MOST_LOOKED_INTO
        ? JsonRpcErrors.limited(body, rules.jsonRpcCodes())
        : Optional.empty();
    return error.orElseGet(
        () -> Outcome.answered(status, headers, Clock.systemUTC().instant()));
  }

  /** Reads it to its end, or as far as it comes. */
  static Future<UpstreamAnswer> of(HttpClientResponse response, Optional<Usage> usage) {
    if (response.statusCode() < FIRST_FINAL_STATUS) { // what follows may never end
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

    // What is missing counts as a byte at least, so that a part is not taken for the whole.
    void end(long missing) {
      usage.filter(reader -> missing == 0).ifPresent(reader -> reader.end(response.trailers()));
      whole.tryComplete(
          new UpstreamAnswer(response.statusCode(), response.headers(), kept, bytes + missing));
    }
  }
}
