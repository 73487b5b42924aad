package io.weir.node.http;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import org.jspecify.annotations.Nullable;

/**
 * A body that fails when it grows longer than allowed, and tells of each chunk. Mutable; owned by one
 * request, on its event loop.
 */
public final class WatchedBody implements ReadStream<Buffer> {
  private final ReadStream<Buffer> body;
  private final long maxBytes;
  private final Runnable onChunk;
  private long seen;
  private @Nullable Handler<Throwable> failure;

  public WatchedBody(ReadStream<Buffer> body, long maxBytes, Runnable onChunk) {
    this.body = body;
    this.maxBytes = maxBytes;
    this.onChunk = onChunk;
  }

  /** Whether more came than is allowed. */
  public boolean isTooLong() {
    return seen > maxBytes;
  }

  /** All of it; fails with {@link TooLongException}, or with whatever broke. */
  public Future<Buffer> whole() {
    Promise<Buffer> whole = Promise.promise();
    Buffer all = Buffer.buffer();
    handler(all::appendBuffer);
    exceptionHandler(whole::tryFail);
    endHandler(end -> whole.tryComplete(all));
    resume();
    return whole.future();
  }

  @Override
  public ReadStream<Buffer> handler(@Nullable Handler<Buffer> handler) {
    if (handler == null) {
      body.handler(null);
    } else {
      body.handler(chunk -> pass(chunk, handler));
    }
    return this;
  }

  @Override
  public ReadStream<Buffer> exceptionHandler(@Nullable Handler<Throwable> handler) {
    failure = handler;
    body.exceptionHandler(handler);
    return this;
  }

  @Override
  public ReadStream<Buffer> pause() {
    body.pause();
    return this;
  }

  @Override
  public ReadStream<Buffer> resume() {
    body.resume();
    return this;
  }

  @Override
  public ReadStream<Buffer> fetch(long amount) {
    body.fetch(amount);
    return this;
  }

  @Override
  public ReadStream<Buffer> endHandler(@Nullable Handler<Void> handler) {
    body.endHandler(handler);
    return this;
  }

  private void pass(Buffer chunk, Handler<Buffer> handler) {
    boolean wasTooLong = isTooLong();
    seen += chunk.length();
    onChunk.run();
    if (!isTooLong()) {
      handler.handle(chunk);
    } else if (!wasTooLong && failure != null) {
      failure.handle(new TooLongException());
    }
  }

  /** A body is longer than allowed. */
  public static final class TooLongException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TooLongException() {
      super("the body is too long", null, false, false);
    }
  }
}
