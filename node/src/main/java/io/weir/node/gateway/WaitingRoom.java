package io.weir.node.gateway;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;

/**
 * Requests that wait for their slot, each paused, so that what its caller still sends waits in the caller's
 * own socket. Bounded in number. Mutable; owned by one event loop.
 */
final class WaitingRoom {
  private static final int MAX_HELD = 1000;

  private final Vertx vertx;
  private int held;

  WaitingRoom(Vertx vertx) {
    this.vertx = vertx;
  }

  /**
   * Holds a request.
   *
   * @return completes when its time has come, fails when its caller hangs up; nothing where the room is full
   */
  Optional<Future<Void>> hold(HttpServerRequest request, long millis) {
    if (held >= MAX_HELD) {
      return Optional.empty();
    }
    held++;
    Promise<Void> due = Promise.promise();
    long timer = vertx.setTimer(millis, fired -> due.tryComplete());
    request.response().closeHandler(closed -> due.tryFail("the caller hung up"));
    return Optional.of(due.future().onComplete(done -> {
      held--;
      vertx.cancelTimer(timer);
      request.response().closeHandler(null);
    }));
  }
}
