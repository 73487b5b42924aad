package io.weir.node.provider;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.weir.core.upstream.Booking.End;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Endings of requests that have to be stored. A failed call is tried again a few times; after that the leases expire.
 * Mutable; owned by its event loop.
 */
final class Endings {
  private static final int AT_ONCE = 256;
  private static final int TELLINGS = 3;
  private static final long TOLD_AGAIN_MILLIS = 300;

  private final Vertx vertx;
  private final Runnable wake;
  private final Queue<Ending> waiting = new ArrayDeque<>();

  /** @param wake called when there are endings to store */
  Endings(Vertx vertx, Runnable wake) {
    this.vertx = vertx;
    this.wake = wake;
  }

  /** The ending of a request; {@code held} completes with whether its permit was held. */
  record Ending(End end, Promise<Boolean> held, int tries) {}

  /** The ending of a request of which it is unknown whether it was booked. */
  static Ending unknown(String id) {
    return new Ending(End.unknown(id), Promise.promise(), TELLINGS);
  }

  /** Adds an ending; completes with whether the permit was held, and fails if no try was answered. */
  Future<Boolean> add(End end) {
    Ending ending = new Ending(end, Promise.promise(), TELLINGS);
    waiting.add(ending);
    wake.run();
    return ending.held().future();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Takes the next endings. */
  List<Ending> next() {
    List<Ending> next = new ArrayList<>();
    while (!waiting.isEmpty() && next.size() < AT_ONCE) {
      next.add(waiting.remove());
    }
    return next;
  }

  /** They were stored; each is completed with whether its permit was held. */
  void heard(List<Ending> told, List<Boolean> held) {
    for (int i = 0; i < told.size(); i++) {
      told.get(i).held().complete(held.get(i));
    }
  }

  /** They may not have been stored: tried again, or failed after the last try. */
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
