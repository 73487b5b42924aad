package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import io.weir.node.answer.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A body that fails with {@link RefusedException} when it grows longer than allowed, and reports each chunk. Mutable;
 * owned by one request, on its event loop.
 */
public final class WatchedBody implements ReadStream<Buffer> {
  /** The number of checks in a window of {@link Upload#WINDOW_MILLIS}. */
  static final int LOOKS_PER_WINDOW = 5;

  private final ReadStream<Buffer> body;
  private final long maxBytes;
  private final Consumer<Buffer> onChunk;
  private long seen;
  private long seenBefore;
  private int looks;
  private int looksLeft = Integer.MAX_VALUE;
  private boolean hasFailed;
  private boolean hasEnded;
  private boolean isBroken;
  private @Nullable Handler<Throwable> failure;

  /** @param onChunk gets each chunk; if it throws, the body fails with that error */
  public WatchedBody(ReadStream<Buffer> body, long maxBytes, Consumer<Buffer> onChunk) {
    this.body = body;
    this.maxBytes = maxBytes;
    this.onChunk = onChunk;
  }

  /** The number of bytes that have arrived. */
  public long seen() {
    return seen;
  }

  /** Whether the body has failed. */
  public boolean isBroken() {
    return isBroken;
  }

  /** Whether the whole body has arrived. */
  public boolean hasEnded() {
    return hasEnded;
  }

  /** Sets a limit of windows from now on for the whole body, whatever its speed. */
  void endsWithin(int windows) {
    looksLeft = windows * LOOKS_PER_WINDOW;
  }

  /**
   * Whether it is too slow: a window has passed since the first check or the last window with too few bytes, or its
   * time limit is over.
   */
  boolean isTooSlowNow() {
    looksLeft--;
    if (looksLeft < 0) {
      return true;
    }
    looks++;
    if (looks <= LOOKS_PER_WINDOW) {
      return false;
    }
    looks = 1;
    boolean isTooSlow = Upload.isTooSlow(seen - seenBefore);
    seenBefore = seen;
    return isTooSlow;
  }

  /** Fails it with an error, once. */
  public void fail(Throwable error) {
    if (!hasFailed) {
      hasFailed = true;
      if (failure != null) {
        failure.handle(error);
      }
    }
  }

  /** The whole body; fails with {@link RefusedException}, or with the I/O error. */
  public Future<Buffer> whole() {
    Promise<Buffer> whole = Promise.promise();
    List<Buffer> chunks = new ArrayList<>();
    handler(chunks::add);
    exceptionHandler(whole::tryFail);
    endHandler(end -> whole.tryComplete(joined(chunks)));
    resume();
    return whole.future();
  }

  // One array of the exact size: a buffer that grows would leave several large ones to the
  // collector.
  private static Buffer joined(List<Buffer> chunks) {
    if (chunks.size() == 1) {
      return chunks.get(0);
    }
    Buffer all = Buffer.buffer(chunks.stream().mapToInt(Buffer::length).sum());
    chunks.forEach(all::appendBuffer);
    return all;
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
    body.exceptionHandler(error -> {
      isBroken = true;
      if (handler != null) {
        handler.handle(error);
      }
    });
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
    body.endHandler(end -> {
      hasEnded = true;
      if (handler != null) {
        handler.handle(null);
      }
    });
    return this;
  }

  private void pass(Buffer chunk, Handler<Buffer> handler) {
    seen += chunk.length();
    if (hasFailed) {
      return;
    }
    if (seen > maxBytes) {
      fail(Upload.tooLong());
      return;
    }
    try {
      onChunk.accept(chunk);
    } catch (RefusedException e) {
      fail(e);
      return;
    }
    handler.handle(chunk);
  }
}
