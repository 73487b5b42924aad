package io.weir.providers.queue;

import io.vertx.core.internal.ContextInternal;
import io.weir.core.bucket.LeakyBucket;
import io.weir.providers.queue.QueueCapacities.Capacity;
import io.weir.providers.rule.Booking.Booked;
import io.weir.providers.rule.Providers;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Hands booked slots to the requests that waited for them, each at its time. Of one event loop.
 *
 * @param isOld whether another policy is in force than that of the upstream
 * @param unused ends a slot that its request does not use
 */
record SlotHandover(
    ContextInternal context,
    Capacity places,
    Providers upstream,
    BooleanSupplier isOld,
    Consumer<BookedSlot> unused) {
  private static final long MICROS_PER_MILLI = 1000;

  // Rounded up: never before the booked time.
  void book(Waiter waiter, Booked booked, boolean isWanted) {
    BookedSlot entered =
        new BookedSlot(upstream, waiter.id(), booked.provider(), booked.key(), booked.isProbe());
    waiter.leaves();
    places.estimates().turn(System.nanoTime());
    if (!isWanted) {
      unused.accept(entered);
    } else if (booked.delayMicros() == 0) {
      begin(waiter, entered);
    } else {
      long millis = LeakyBucket.ceilDiv(booked.delayMicros(), MICROS_PER_MILLI);
      context.setTimer(millis, due -> begin(waiter, entered));
    }
  }

  private void begin(Waiter waiter, BookedSlot entered) {
    if (waiter.isGone()) {
      waiter.giveUp();
    } else if (isOld.getAsBoolean()) {
      waiter.asksAgain();
    }
    if (!waiter.begins(entered)) {
      unused.accept(entered);
    }
  }
}
