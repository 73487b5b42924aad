package io.weir.providers.queue;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.weir.node.loop.LoopTime;
import io.weir.providers.rule.Booking.End;
import io.weir.state.keep.LeaseTerms;
import io.weir.state.keep.RetriedCalls;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;

/**
 * Endings of requests that have to be stored. A failed call is tried again a few times; after that the leases expire.
 * Mutable; owned by its event loop.
 */
final class SlotEndings {
  private static final int AT_ONCE = 256;

  private final RetriedCalls ends;
  private final Runnable wake;
  private final Queue<Ending> waiting = new ArrayDeque<>();

  /** @param wake called when there are endings to store */
  SlotEndings(Vertx vertx, Runnable wake) {
    this.ends = new RetriedCalls(LeaseTerms.PERMIT, new LoopTime(vertx), error -> true);
    this.wake = wake;
  }

  /** The ending of a request; {@code held} completes with whether its permit was held. */
  record Ending(End end, Promise<Boolean> held) {}

  /** Adds an ending; completes with whether the permit was held, and fails if no try was answered. */
  Future<Boolean> add(End end) {
    return Future.fromCompletionStage(ends.call(() -> next(end).toCompletionStage()));
  }

  /** The same for a request of which it is unknown whether it was booked, as the call was not answered. */
  void addUnknown(String id) {
    CompletionStage<Boolean> unused =
        ends.callAgain(() -> next(End.unknown(id)).toCompletionStage());
  }

  private Future<Boolean> next(End end) {
    Ending ending = new Ending(end, Promise.promise());
    waiting.add(ending);
    wake.run();
    return ending.held().future();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Takes the next endings; the caller completes each. */
  List<Ending> next() {
    List<Ending> next = new ArrayList<>();
    while (!waiting.isEmpty() && next.size() < AT_ONCE) {
      next.add(waiting.remove());
    }
    return next;
  }

  /** They were stored; each completes with whether its permit was held. */
  static void completed(List<Ending> endings, List<Boolean> held) {
    for (int i = 0; i < endings.size(); i++) {
      endings.get(i).held().complete(held.get(i));
    }
  }
}
