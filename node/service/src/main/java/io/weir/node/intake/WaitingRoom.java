package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Requests that wait for their slot. Mutable; owned by one event loop. */
public final class WaitingRoom {
  private final Vertx vertx;
  private final Set<Promise<Boolean>> waiting = new HashSet<>();
  private boolean open = true;

  /** An empty one, for one event loop. */
  public WaitingRoom(Vertx vertx) {
    this.vertx = vertx;
  }

  /** The caller of a request that waits. */
  public interface Caller {
    /** Whether it has hung up. */
    boolean isGone();

    /**
     * Calls an action when it hangs up.
     *
     * @return takes the action back
     */
    Runnable onGone(Runnable action);
  }

  /**
   * The caller of a request, which is paused. A hang-up is noticed at once if the body has been read or is empty; if much
   * of the body is unread, only when the wait ends.
   */
  public static Caller callerOf(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    return new Caller() {
      @Override
      public boolean isGone() {
        return response.closed();
      }

      @Override
      public Runnable onGone(Runnable action) {
        response.closeHandler(closed -> action.run());
        return () -> response.closeHandler(null);
      }
    };
  }

  /** Whether requests may wait here. */
  public boolean isOpen() {
    return open;
  }

  /**
   * Holds a request; completes when its time has come, with false if the room closes first, and fails when its caller
   * hangs up.
   */
  public Future<Boolean> hold(Caller caller, long millis) {
    Promise<Boolean> due = Promise.promise();
    waiting.add(due);
    long timer = vertx.setTimer(millis, fired -> due.tryComplete(true));
    Runnable stayed = caller.onGone(() -> due.tryFail("the caller hung up"));
    if (caller.isGone()) {
      due.tryFail("the caller hung up");
    }
    return due.future().onComplete(done -> {
      waiting.remove(due);
      vertx.cancelTimer(timer);
      stayed.run();
    });
  }

  /** Releases all requests, and holds no more: the node stops, and any other node honours their places. */
  public void close() {
    open = false;
    List.copyOf(waiting).forEach(due -> due.tryComplete(false));
  }
}
