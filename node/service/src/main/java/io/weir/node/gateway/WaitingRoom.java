package io.weir.node.gateway;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Requests that wait for their slot, each paused. A hang-up is noticed at once if the body has been read or is empty;
 * if much of the body is unread, only when the wait ends. Mutable; owned by one event loop.
 */
final class WaitingRoom {
  private final Vertx vertx;
  private final Set<Promise<Boolean>> waiting = new HashSet<>();
  private boolean open = true;

  WaitingRoom(Vertx vertx) {
    this.vertx = vertx;
  }

  boolean isOpen() {
    return open;
  }

  /**
   * Holds a request; completes when its time has come, with false if the room closes first, and fails when its caller
   * hangs up.
   */
  Future<Boolean> hold(HttpServerRequest request, long millis) {
    Promise<Boolean> due = Promise.promise();
    waiting.add(due);
    long timer = vertx.setTimer(millis, fired -> due.tryComplete(true));
    request.response().closeHandler(closed -> due.tryFail("the caller hung up"));
    if (request.response().closed()) {
      due.tryFail("the caller hung up");
    }
    return due.future().onComplete(done -> {
      waiting.remove(due);
      vertx.cancelTimer(timer);
      request.response().closeHandler(null);
    });
  }

  /** Releases all requests, and holds no more. */
  void close() {
    open = false;
    List.copyOf(waiting).forEach(due -> due.tryComplete(false));
  }
}
