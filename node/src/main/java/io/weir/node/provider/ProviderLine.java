package io.weir.node.provider;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Share;
import io.weir.node.metrics.ProviderMeters;
import io.weir.node.provider.ProviderGate.Entered;
import io.weir.upstream.Booking;
import io.weir.upstream.Booking.Booked;
import io.weir.upstream.Booking.Lesson;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * The requests of one event loop and one group that wait for an upstream, first come first served: only the first one asks the shared
 * state. A booking may be up to a second ahead; then it waits for its moment by itself. Mutable; owned by its event loop.
 */
final class ProviderLine {
  private static final long AHEAD_MICROS = 1_000_000;
  /** So many stand in line only because the one before them is being booked. */
  private static final int PASSING = 8;

  private static final long FULL_MICROS = 50_000;
  private static final long NANOS_PER_MICRO = 1000;
  private static final ProblemDetails QUEUE_FULL = ProblemDetails.of(
      429, "upstream_queue_full", "Too many requests wait for the providers of this upstream");
  private static final ProblemDetails TOO_LATE = ProblemDetails.of(
      503, "upstream_queue_timeout", "No provider could take the request in time");
  private static final ProblemDetails OPEN = ProblemDetails.of(
      503, "upstream_open", "All providers of this upstream have failed and are left alone");

  private final Vertx vertx;
  private final Context context;
  private final ProviderGate gate;
  private final String name;
  private final ProviderMeters meters;
  private final Queue<Waiter> line = new ArrayDeque<>();
  private boolean isAsking;
  private long timer = -1;

  ProviderLine(
      Vertx vertx, Context context, ProviderGate gate, String name, ProviderMeters meters) {
    this.vertx = vertx;
    this.context = context;
    this.gate = gate;
    this.name = name;
    this.meters = meters;
  }

  private static final class Waiter {
    private final Wish wish;
    private final String id = UUID.randomUUID().toString();
    private final Promise<Entered> done = Promise.promise();
    private Optional<Share> place = Optional.empty();
    private boolean isBooked;

    private Waiter(Wish wish) {
      this.wish = wish;
    }
  }

  /**
   * Waits for its turn.
   *
   * @param places whoever cannot be sent at once needs one
   */
  Future<Entered> enter(Wish wish, Bulkhead places) {
    Waiter waiter = new Waiter(wish);
    if (line.size() >= PASSING) {
      waiter.place = places.tryTake(wish.key(), wish.tenant(), 1);
      if (waiter.place.isEmpty()) {
        return Future.failedFuture(new RefusedException(QUEUE_FULL.with("retryAfterMs", 1000)));
      }
    }
    meters.waiting(name, 1);
    line.add(waiter);
    long patience = Math.max(1, (wish.deadlineNanos() - System.nanoTime()) / 1_000_000);
    long late = vertx.setTimer(patience, due -> {
      if (!waiter.isBooked) {
        refuse(waiter, TOO_LATE, 0);
      }
    });
    waiter.done.future().onComplete(done -> {
      vertx.cancelTimer(late);
      meters.waiting(name, -1);
      waiter.place.ifPresent(Share::free);
    });
    wake();
    return waiter.done.future();
  }

  private void refuse(Waiter waiter, ProblemDetails problem, long waitMicros) {
    line.remove(waiter);
    long millis = Math.max(1, (waitMicros + 999) / 1000);
    waiter.done.tryFail(new RefusedException(problem.with("retryAfterMs", millis)));
  }

  /** Something may have changed: the first one asks again. */
  void wake() {
    vertx.cancelTimer(timer);
    if (isAsking) {
      return;
    }
    Waiter first = line.peek();
    while (first != null
        && (first.wish.isGone().getAsBoolean() || first.done.future().isComplete())) {
      line.remove();
      first.done.tryFail("the caller hung up");
      first = line.peek();
    }
    if (first != null) {
      ask(first);
    }
  }

  private void ask(Waiter first) {
    Wish wish = first.wish;
    long left = Math.max(0, (wish.deadlineNanos() - System.nanoTime()) / NANOS_PER_MICRO);
    isAsking = true;
    Future.fromCompletionStage(
            gate.store()
                .book(
                    wish.upstream(),
                    wish.group(),
                    first.id,
                    Math.min(AHEAD_MICROS, left),
                    wish.before()),
            context)
        .onComplete(booked -> {
          isAsking = false;
          if (booked.failed()) {
            gate.forget(wish.upstream(), first.id);
            line.remove(first);
            first.done.tryFail(ProviderGate.refusal(booked.cause()));
            wake();
          } else {
            Booking.Told told = booked.result();
            meters.stands(wish.upstream(), told);
            take(first, told.booking());
          }
        });
  }

  private void take(Waiter first, Booking booking) {
    if (booking instanceof Booked booked) {
      line.remove(first);
      first.isBooked = true;
      if (booked.isProbe()) {
        meters.breaker(name, booked.provider(), "half_open");
      }
      book(first, booked);
      wake();
    } else if (booking instanceof Booking.Open open) {
      refuse(first, OPEN, open.waitMicros());
      wake();
    } else {
      long wait =
          booking instanceof Booking.Later later ? later.waitMicros() - AHEAD_MICROS : FULL_MICROS;
      long left = (first.wish.deadlineNanos() - System.nanoTime()) / NANOS_PER_MICRO;
      if (booking instanceof Booking.Later later && later.waitMicros() > left) {
        refuse(first, TOO_LATE, later.waitMicros());
        wake();
      } else {
        timer = vertx.setTimer(Math.max(1, wait / 1000 + 1), due -> wake());
      }
    }
  }

  // Rounded up: never before its moment.
  private void book(Waiter first, Booked booked) {
    Entered entered = new Entered(
        first.wish.upstream(), first.id, booked.provider(), booked.key(), booked.isProbe());
    long millis = (booked.delayMicros() + 999) / 1000;
    Future<?> moment =
        millis == 0 ? Future.succeededFuture() : vertx.timer(millis, TimeUnit.MILLISECONDS);
    moment.onComplete(due -> {
      boolean isWanted = !first.wish.isGone().getAsBoolean() && first.done.tryComplete(entered);
      if (!isWanted) {
        first.done.tryFail("the caller hung up");
        String probe = entered.isProbe() ? "unknown" : "";
        Future<Boolean> unused = gate.leave(entered, Lesson.of("", 0, 0, probe));
      }
    });
  }
}
