package io.weir.node.upstream;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.weir.node.answer.RefusedException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sends a request whose body is there, and reads its whole answer. Mutable; owned by the request's event loop. */
final class WholeDelivery<T> implements Delivery<T> {
  private final WholeRequest<T> whole;
  private @Nullable HttpClientRequest sending;
  private boolean hasHead;

  WholeDelivery(WholeRequest<T> whole) {
    this.whole = whole;
  }

  @Override
  public Future<T> send(HttpClientRequest outgoing, SendSlot slot, AnswerFilter filter) {
    sending = outgoing;
    hasHead = false;
    outgoing.response().onSuccess(head -> hasHead = true);
    return whole.exchange().send(outgoing, slot, filter);
  }

  @Override
  public void giveUp() {
    if (sending != null) {
      sending.reset();
    }
  }

  @Override
  public Optional<Buffer> body() {
    return whole.body();
  }

  @Override
  public boolean isReplayable(long mostBytes) {
    return true;
  }

  @Override
  public boolean isTimed() {
    return true;
  }

  @Override
  public boolean isAnswering() {
    return hasHead;
  }

  @Override
  public boolean isBegun() {
    return false;
  }

  @Override
  public boolean isGone() {
    return whole.isGone().getAsBoolean();
  }

  @Override
  public long deadlineNanos() {
    return whole.deadlineNanos();
  }

  @Override
  public Cause cause(Throwable error, boolean isAnswered) {
    return error instanceof RefusedException ? Cause.CALLER : Cause.SERVER;
  }
}
