package io.weir.keys.identity;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/** The body of an answer; fails if it is longer than a bound. Mutable; for one answer. */
final class BoundedBody implements BodySubscriber<byte[]> {
  private final BodySubscriber<byte[]> all = BodySubscribers.ofByteArray();
  private final int maxBytes;
  private @Nullable Subscription subscription;
  private long bytes;

  BoundedBody(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return all.getBody();
  }

  @Override
  public void onSubscribe(Subscription to) {
    subscription = to;
    all.onSubscribe(to);
  }

  @Override
  public void onNext(List<ByteBuffer> part) {
    bytes += part.stream().mapToLong(ByteBuffer::remaining).sum();
    if (bytes <= maxBytes) {
      all.onNext(part);
    } else if (subscription != null) {
      subscription.cancel();
      all.onError(new IOException("longer than %d bytes".formatted(maxBytes)));
    }
  }

  @Override
  public void onError(Throwable error) {
    all.onError(error);
  }

  @Override
  public void onComplete() {
    all.onComplete();
  }
}
