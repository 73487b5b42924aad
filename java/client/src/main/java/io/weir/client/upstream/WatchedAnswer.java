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
 * Watches the arrival of an answer: its head, and the end of its body. Safe for use by many threads.
 *
 * @param <T> the type of the body
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
   * An answer that has not arrived yet.
   *
   * @param silence after the head, the longest time without progress, because the body is not read or nothing arrives
   * @param whenOver runs once, after the head, when no more of the body arrives or is read
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

  /** The head of the answer, once it has arrived. */
  Optional<ResponseInfo> head() {
    return Optional.ofNullable(head);
  }

  /** Whether the provider broke the connection, or fell silent within the answer. */
  boolean hasFailed() {
    return isBroken || isSilent;
  }

  /** Whether more of it is wanted, but does not arrive. */
  boolean isSilent() {
    return isSilent;
  }

  /** The time of the head, by the given clock. */
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

  /** Ends the watch: no more of it arrives. */
  void over() {
    if (isOver.compareAndSet(false, true)) {
      cancelWatch.run();
      whenOver.accept(this);
    }
  }

  // Some subscribers request everything.
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
