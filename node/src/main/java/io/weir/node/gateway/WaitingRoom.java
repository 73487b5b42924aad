package io.weir.node.gateway;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The requests of a node that wait for their slot, each paused, so that what its caller still sends waits in
 * the caller's own socket. Bounded in number. Safe for use by all event loops.
 */
public final class WaitingRoom {
  /** How many requests a node holds at most. */
  public static final int MAX_HELD = 1000;

  private final AtomicInteger held = new AtomicInteger();

  /** How many wait now. */
  public int held() {
    return held.get();
  }

  /**
   * Holds a request of this event loop.
   *
   * @return completes when its time has come, fails when its caller hangs up; nothing where the room is full
   */
  Optional<Future<Void>> hold(Vertx vertx, HttpServerRequest request, long millis) {
    if (held.getAndUpdate(count -> Math.min(MAX_HELD, count + 1)) == MAX_HELD) {
      return Optional.empty();
    }
    Promise<Void> due = Promise.promise();
    long timer = vertx.setTimer(millis, fired -> due.tryComplete());
    request.response().closeHandler(closed -> due.tryFail("the caller hung up"));
    return Optional.of(due.future().onComplete(done -> {
      held.decrementAndGet();
      vertx.cancelTimer(timer);
      request.response().closeHandler(null);
    }));
  }
}
