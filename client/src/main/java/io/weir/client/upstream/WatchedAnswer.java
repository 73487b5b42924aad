package io.weir.client.upstream;

import io.weir.client.retry.Timekeeper;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks on while an answer comes: when its head does, and when no more of it will. Safe for use by many threads.
 *
 * @param <T> what the body becomes
 */
final class WatchedAnswer<T> implements BodyHandler<T> {
  private final BodyHandler<T> handler;
  private final Timekeeper time;
  private final Duration silence;
  private final Consumer<WatchedAnswer<T>> whenOver;
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicLong wanted = new AtomicLong();
  private volatile @Nullable ResponseInfo head;
  private volatile long movedNanos;
  private volatile long headNanos;
  private volatile boolean isBroken;
  private volatile boolean isSilent;
  private volatile Runnable cancelWatch = () -> {};

  /**
   * An answer that has not come.
   *
   * @param silence after the head: where nothing moves for so long, nobody reads, or nothing comes
   * @param whenOver runs once, after the head: no more of the body comes, or is read
   */
  WatchedAnswer(
      BodyHandler<T> handler,
      Timekeeper time,
      Duration silence,
      Consumer<WatchedAnswer<T>> whenOver) {
    this.handler = handler;
    this.time = time;
    this.silence = silence;
    this.whenOver = whenOver;
  }

  /** What came of it, once that has. */
  Optional<ResponseInfo> head() {
    return Optional.ofNullable(head);
  }

  /** Whether the provider broke it, or is silent in the midst of it. */
  boolean hasFailed() {
    return isBroken || isSilent;
  }

  /** Whether more of it is wanted, and does not come. */
  boolean isSilent() {
    return isSilent;
  }

  /** When that was, by the time it was made with. */
  long headNanos() {
    return headNanos;
  }

  @Override
  public BodySubscriber<T> apply(ResponseInfo info) {
    headNanos = time.nanoTime();
    movedNanos = headNanos;
    head = info;
    watch(silence);
    return new Watched(handler.apply(info));
  }

  private void watch(Duration left) {
    cancelWatch = time.after(left, () -> {
      Duration rest = silence.minusNanos(time.nanoTime() - movedNanos);
      if (rest.isNegative() || rest.isZero()) {
        isSilent = wanted.get() > 0;
        over();
      } else if (!isOver.get()) {
        watch(rest);
      }
    });
    if (isOver.get()) {
      cancelWatch.run();
    }
  }

  /** No more of it comes. */
  void over() {
    if (isOver.compareAndSet(false, true)) {
      cancelWatch.run();
      whenOver.accept(this);
    }
  }

  // Some want all there is.
  private static long sum(long before, long more) {
    return Math.min(Long.MAX_VALUE / 2, before) + Math.min(Long.MAX_VALUE / 2, more);
  }

  private final class Watched implements BodySubscriber<T> {
    private final BodySubscriber<T> body;

    Watched(BodySubscriber<T> body) {
      this.body = body;
    }

    @Override
    public CompletionStage<T> getBody() {
      return body.getBody();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      body.onSubscribe(new Subscription() {
        @Override
        public void request(long amount) {
          movedNanos = time.nanoTime();
          wanted.accumulateAndGet(amount, WatchedAnswer::sum);
          subscription.request(amount);
        }

        @Override
        public void cancel() {
          subscription.cancel();
          over();
        }
      });
    }

    @Override
    public void onNext(List<ByteBuffer> bytes) {
      movedNanos = time.nanoTime();
      wanted.decrementAndGet();
      body.onNext(bytes);
    }

    @Override
    public void onError(Throwable error) {
      isBroken = true;
      body.onError(error);
      over();
    }

    @Override
    public void onComplete() {
      body.onComplete();
      over();
    }
  }
}
