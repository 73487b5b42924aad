package io.weir.node.provider;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.weir.upstream.Booking.End;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * What is to be told of requests that are over: some times, where it is not heard; then their leases end. Mutable; owned by
 * its event loop.
 */
final class Endings {
  private static final int AT_ONCE = 256;
  private static final int TELLINGS = 3;
  private static final long TOLD_AGAIN_MILLIS = 300;

  private final Vertx vertx;
  private final Runnable wake;
  private final Queue<Ending> waiting = new ArrayDeque<>();

  /** @param wake there is something to be told */
  Endings(Vertx vertx, Runnable wake) {
    this.vertx = vertx;
    this.wake = wake;
  }

  /** One that is over, and who wants to know whether it was held. */
  record Ending(End end, Promise<Boolean> held, int tries) {}

  /** One of which nobody knows whether it was booked. */
  static Ending unknown(String id) {
    return new Ending(End.unknown(id), Promise.promise(), TELLINGS);
  }

  /** Adds one; gives whether it was held, as far as anybody knows. */
  Future<Boolean> add(End end) {
    Ending ending = new Ending(end, Promise.promise(), TELLINGS);
    waiting.add(ending);
    wake.run();
    return ending.held().future();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** The next ones. */
  List<Ending> next() {
    List<Ending> next = new ArrayList<>();
    while (!waiting.isEmpty() && next.size() < AT_ONCE) {
      next.add(waiting.remove());
    }
    return next;
  }

  /** They were heard; for each whether it was held. */
  void heard(List<Ending> told, List<Boolean> held) {
    for (int i = 0; i < told.size(); i++) {
      told.get(i).held().complete(held.get(i));
    }
  }

  /** They were not heard, as far as anybody knows. */
  void notHeard(List<Ending> told, Throwable error) {
    told.stream().filter(one -> one.tries() <= 1).forEach(one -> one.held().fail(error));
    List<Ending> again = told.stream()
        .filter(one -> one.tries() > 1)
        .map(one -> new Ending(one.end(), one.held(), one.tries() - 1))
        .toList();
    if (!again.isEmpty()) {
      vertx.setTimer(TOLD_AGAIN_MILLIS, due -> {
        waiting.addAll(again);
        wake.run();
      });
    }
  }
}
