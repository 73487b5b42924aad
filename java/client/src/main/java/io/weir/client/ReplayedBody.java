package io.weir.client;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * A body of unknown length. Its source may be a stream that is empty the second time, so it is subscribed to once; the
 * sent data is kept, up to a bound, to be sent again. Safe for use by many threads.
 */
final class ReplayedBody implements BodyPublisher {
  private static final int MAX_KEPT_BYTES = 256 << 10;

  private final BodyPublisher body;
  private @Nullable List<byte[]> kept = new ArrayList<>();
  private int keptBytes;
  private boolean isAsked;
  private boolean isWhole;

  private ReplayedBody(BodyPublisher body) {
    this.body = body;
  }

  /** Returns the same body if it can surely be sent again; otherwise a body that keeps its data. */
  static BodyPublisher of(BodyPublisher body) {
    return body.contentLength() >= 0 ? body : new ReplayedBody(body);
  }

  /** Whether it can be sent, or sent again. */
  synchronized boolean isReplayable() {
    return !isAsked || isWhole;
  }

  @Override
  public long contentLength() {
    return body.contentLength();
  }

  @Override
  public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
    boolean isFirst;
    List<byte[]> whole;
    synchronized (this) {
      isFirst = !isAsked;
      isAsked = true;
      whole = isWhole ? kept : null;
    }
    if (isFirst) {
      body.subscribe(new Keeping(subscriber));
    } else if (whole != null) {
      BodyPublishers.ofByteArrays(whole).subscribe(subscriber);
    } else {
      BodyPublishers.fromPublisher(failing -> {
            failing.onSubscribe(new NoSubscription());
            failing.onError(new NotReplayableException());
          })
          .subscribe(subscriber);
    }
  }

  /** The body was sent before and cannot be sent again: not a failure of the upstream. */
  static final class NotReplayableException extends IOException {
    private static final long serialVersionUID = 1L;

    NotReplayableException() {
      super("the body was sent before and cannot be sent again");
    }

    /** Whether a failure is, or is caused by, this exception. */
    static boolean isIn(Throwable failure) {
      Throwable cause = failure;
      while (cause != null && !(cause instanceof NotReplayableException)) {
        cause = cause.getCause();
      }
      return cause != null;
    }
  }

  private synchronized void keep(ByteBuffer bytes) {
    keptBytes += bytes.remaining();
    if (kept == null || keptBytes > MAX_KEPT_BYTES) {
      kept = null;
      return;
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    kept.add(copy);
  }

  private synchronized void end() {
    isWhole = kept != null;
  }

  /** Passes the data on and keeps it. */
  private final class Keeping implements Subscriber<ByteBuffer> {
    private final Subscriber<? super ByteBuffer> subscriber;

    Keeping(Subscriber<? super ByteBuffer> subscriber) {
      this.subscriber = subscriber;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      subscriber.onSubscribe(subscription);
    }

    @Override
    public void onNext(ByteBuffer bytes) {
      keep(bytes);
      subscriber.onNext(bytes);
    }

    @Override
    public void onError(Throwable error) {
      subscriber.onError(error);
    }

    @Override
    public void onComplete() {
      end();
      subscriber.onComplete();
    }
  }

  private record NoSubscription() implements Subscription {
    @Override
    public void request(long count) {}

    @Override
    public void cancel() {}
  }
}
