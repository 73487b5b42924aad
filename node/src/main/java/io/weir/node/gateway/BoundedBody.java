package io.weir.node.gateway;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import org.jspecify.annotations.Nullable;

/**
 * A body that fails when it grows longer than allowed. Mutable; owned by one request, on its event loop.
 */
final class BoundedBody implements ReadStream<Buffer> {
  private final ReadStream<Buffer> body;
  private final long maxBytes;
  private final Promise<Void> exceeded = Promise.promise();
  private long seen;
  private @Nullable Handler<Throwable> failure;

  BoundedBody(ReadStream<Buffer> body, long maxBytes) {
    this.body = body;
    this.maxBytes = maxBytes;
  }

  /** Fails with {@link TooLongException} as soon as the body is too long. */
  Future<Void> exceeded() {
    return exceeded.future();
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
    seen += chunk.length();
    if (seen <= maxBytes) {
      handler.handle(chunk);
      return;
    }
    TooLongException error = new TooLongException();
    if (exceeded.tryFail(error) && failure != null) {
      failure.handle(error);
    }
  }

  /** A body is longer than allowed. */
  static final class TooLongException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLongException() {
      super("the body is too long", null, false, false);
    }
  }
}
