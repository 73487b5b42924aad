package io.weir.client;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer that is dropped. No caller waits for it: a short body is read, so that the connection can be
 * reused; a long or slow one closes the connection. Mutable; for one answer.
 */
final class DroppedBody<T> implements BodySubscriber<T> {
  private static final long MAX_BYTES = 64 << 10;
  private static final long MAX_MILLIS = 1000;

  private final CompletableFuture<@Nullable T> nothing = CompletableFuture.completedFuture(null);
  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
  private @Nullable Subscription subscription;
  private long bytes;

  @Override
  @SuppressWarnings("NullAway") // no caller sees it
  public CompletionStage<T> getBody() {
    return nothing.thenApply(none -> none);
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // it ends with the returned body
  public void onSubscribe(Subscription given) {
    subscription = given;
    given.request(Long.MAX_VALUE);
    ended.completeOnTimeout(false, MAX_MILLIS, TimeUnit.MILLISECONDS).thenAccept(inTime -> {
      if (!inTime) {
        given.cancel();
      }
    });
  }

  @Override
  public void onNext(List<ByteBuffer> chunks) {
    chunks.forEach(chunk -> bytes += chunk.remaining());
    if (bytes > MAX_BYTES && subscription != null) {
      ended.complete(true);
      subscription.cancel();
    }
  }

  @Override
  public void onError(Throwable error) {
    ended.complete(true);
  }

  @Override
  public void onComplete() {
    ended.complete(true);
  }
}
