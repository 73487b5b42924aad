package io.weir.node.provider;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.metrics.ProviderMeters;
import io.weir.node.provider.ProviderGate.Entered;
import io.weir.node.provider.WaitingPlaces.Place;
import java.util.Optional;

/** A request that waits for its turn at an upstream. Mutable; owned by its event loop. */
final class Waiter {
  private static final long NANOS_PER_MICRO = 1000;

  private final Wish wish;
  private final String id;
  private final ProviderMeters meters;
  private final Promise<Entered> done = Promise.promise();
  private Optional<Place> place = Optional.empty();
  private boolean isOver;

  /** @param id in the shared state */
  Waiter(Wish wish, String id, ProviderMeters meters) {
    this.wish = wish;
    this.id = id;
    this.meters = meters;
    meters.waiting(wish.upstream().name(), 1);
  }

  Wish wish() {
    return wish;
  }

  String id() {
    return id;
  }

  Future<Entered> done() {
    return done.future();
  }

  /** How long it waits on. */
  long leftMicros() {
    return (wish.deadlineNanos() - System.nanoTime()) / NANOS_PER_MICRO;
  }

  /** Whether nobody waits for it any more. */
  boolean isGone() {
    return wish.isGone().getAsBoolean();
  }

  /**
   * Whether it has a place to wait, or gets one now.
   *
   * @param displaced see {@link WaitingPlaces#take}
   */
  boolean takesPlace(WaitingPlaces places, Runnable displaced) {
    if (place.isEmpty()) {
      place = places.take(wish.key(), wish.tenant(), displaced);
    }
    return place.isPresent();
  }

  /** Whether it waits in the queue no more. */
  boolean isOver() {
    return isOver;
  }

  /** It waits for its moment only. */
  void leaves() {
    if (!isOver) {
      isOver = true;
      meters.waiting(wish.upstream().name(), -1);
      place.ifPresent(Place::free);
    }
  }

  /** Whether it begins; else nobody waits for it any more. */
  boolean begins(Entered entered) {
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
