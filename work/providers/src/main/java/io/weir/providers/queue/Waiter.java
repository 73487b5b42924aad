package io.weir.providers.queue;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.upstream.GivenUpException;
import io.weir.providers.queue.QueueCapacity.Position;
import java.util.Optional;

/** A request that waits for its turn at an upstream. Mutable; owned by its event loop. */
final class Waiter {

  private final SlotRequest wish;
  private final String id;
  private final ProviderMeters meters;
  private final Promise<BookedSlot> done = ofRequest();
  private Optional<Position> place = Optional.empty();
  private boolean isOver;

  /** @param id in the shared state */
  Waiter(SlotRequest wish, String id, ProviderMeters meters) {
    this.wish = wish;
    this.id = id;
    this.meters = meters;
    meters.waiting(wish.upstream().name(), 1);
  }

  // Its request goes on where it was served, whoever wakes it.
  private static Promise<BookedSlot> ofRequest() {
    ContextInternal here = ContextInternal.current();
    return here == null ? Promise.promise() : here.promise();
  }

  SlotRequest wish() {
    return wish;
  }

  String id() {
    return id;
  }

  Future<BookedSlot> done() {
    return done.future();
  }

  /** The time until its deadline. */
  long leftMicros() {
    return NANOSECONDS.toMicros(wish.patience().deadlineNanos() - System.nanoTime());
  }

  /** Whether its caller has hung up. */
  boolean isGone() {
    return wish.patience().isGone().getAsBoolean();
  }

  /**
   * Whether it has a place in the queue, or gets one now.
   *
   * @param displaced see {@link QueueCapacity#take}
   */
  boolean takesPlace(QueueCapacity places, Runnable displaced) {
    if (place.isEmpty()) {
      place = places.take(wish.caller().key(), wish.caller().tenant(), displaced);
    }
    return place.isPresent();
  }

  /** Whether it has left the queue. */
  boolean isOver() {
    return isOver;
  }

  /** Leaves the queue, and waits only for its booked time. */
  void leaves() {
    if (!isOver) {
      isOver = true;
      meters.waiting(wish.upstream().name(), -1);
      place.ifPresent(Position::free);
    }
  }

  /** Completes the wait; false if it has ended already. */
  boolean begins(BookedSlot entered) {
    leaves();
    return done.tryComplete(entered);
  }

  void refuse(ProblemDetails problem) {
    fail(new RefusedException(problem));
  }

  void asksAgain() {
    fail(new PolicyChangedException());
  }

  void giveUp() {
    fail(new GivenUpException());
  }

  void fail(Throwable error) {
    leaves();
    done.tryFail(error);
  }
}
