package io.weir.providers.queue;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.weir.node.answer.RefusedException;
import io.weir.providers.queue.QueueCapacities.Capacity;
import io.weir.providers.queue.SlotEndings.Ending;
import io.weir.providers.rule.Booking;
import io.weir.providers.rule.Booking.Asking;
import io.weir.providers.rule.Booking.Booked;
import io.weir.providers.rule.Booking.BookingAnswer;
import io.weir.providers.rule.Booking.End;
import io.weir.providers.rule.Booking.Lesson;
import io.weir.providers.rule.Providers;
import io.weir.providers.store.RedisProviders;
import io.weir.providers.store.RedisProviders.Prepared;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The waiting requests of one event loop, in fair order in each group, and the endings of requests. One call to the
 * shared state at a time reports endings and asks for turns; what arrives meanwhile goes with the next one. A booking may
 * be up to a second ahead; the request waits for its time locally. Mutable; owned by its event loop.
 */
public final class ProviderQueue {
  private static final long AHEAD_MICROS = 1_000_000;
  private static final int ASKED_AT_ONCE = 64;
  /** At most this many requests wait without a place, only while a call is running. */
  private static final int PASSING = 256;

  private static final long FULL_MICROS = 10_000;
  /** Many groups ask less often, as each group makes a call longer. */
  private static final int GROUPS_AT_ONCE = 8;

  private static final int SLOWEST = 3;
  private static final long SWEEP_MILLIS = 20;
  private static final long MICROS_PER_MILLI = 1000;

  private final Vertx vertx;
  private final ContextInternal context;
  private final RedisProviders store;
  private final ProviderMeters meters;
  private final Capacity places;
  private final CurrentUpstreams current;
  private final Prepared upstream;
  private final Groups groups = new Groups();
  private final Refusals refusals;
  private final SlotEndings endings;
  private final SlotHandover handover;
  private final String caller = UUID.randomUUID().toString();
  private long made;
  private boolean isAsking;
  private long timer = -1;
  private long sweep = -1;
  private long usedNanos = System.nanoTime();

  /** The parts of a node that all its queues share. */
  public record Shared(RedisProviders store, ProviderMeters meters, CurrentUpstreams current) {}

  /** @param places for requests that cannot be sent at once */
  public ProviderQueue(
      Vertx vertx, Context context, Shared shared, Capacity places, Providers upstream) {
    this.vertx = vertx;
    this.context = (ContextInternal) context;
    this.store = shared.store();
    this.meters = shared.meters();
    this.places = places;
    this.current = shared.current();
    this.refusals = new Refusals(places);
    this.upstream = RedisProviders.prepare(upstream);
    this.endings = new SlotEndings(vertx, this::wake);
    this.handover = new SlotHandover(this.context, places, upstream, this::isOld, this::unused);
  }

  public String name() {
    return upstream.upstream().name();
  }

  /** Whether it has not been used for this time. */
  public boolean isIdle(long nanos) {
    return System.nanoTime() - usedNanos > nanos
        && !isAsking
        && !groups.isWaiting()
        && endings.isEmpty();
  }

  /** Waits for a turn. */
  public Future<BookedSlot> enter(SlotRequest wish) {
    usedNanos = System.nanoTime();
    Waiter waiter = new Waiter(wish, caller + "-" + made++, meters);
    GroupQueue group = groups.of(waiter);
    boolean isPassing = !group.isBlocked() && group.size() < PASSING;
    if (isPassing || refusals.hasPlace(waiter, () -> displaced(waiter))) {
      group.add(waiter);
      watch();
      if (!group.isBlocked()) {
        wake();
      }
    }
    return waiter.done();
  }

  /** Adds the ending of a request; completes with whether its permit was held. */
  public Future<Boolean> end(String id, String provider, Lesson lesson) {
    usedNanos = System.nanoTime();
    return endings.add(new End(id, provider, lesson));
  }

  /** Wakes the queue if another policy is in force: its requests ask again by that one. */
  public void retireIfOld() {
    if (isOld() && groups.isWaiting()) {
      wake();
    }
  }

  private boolean isOld() {
    return !current.have(upstream.upstream());
  }

  /** Asks again, as something may have changed. */
  public void wake() {
    if (isAsking) {
      return;
    }
    vertx.cancelTimer(timer);
    if (isOld()) {
      groups.all().forEach(group -> group.leave(one -> true, Waiter::asksAgain));
    }
    List<Waiter> asked = groups.first(ASKED_AT_ONCE);
    List<Ending> ended = endings.next();
    if (!asked.isEmpty() || !ended.isEmpty() || groups.hasAbandoned()) {
      ask(asked, ended);
    } else if (groups.isWaiting()) {
      askIn(FULL_MICROS); // the callers of the others hung up; new requests may arrive
    }
  }

  // Timers are of the loop's own context: that of a request would keep it, and lend it to others.
  private void askIn(long micros) {
    timer = context.setTimer(micros / MICROS_PER_MILLI + 1, due -> wake());
  }

  private void ask(List<Waiter> asked, List<Ending> ended) {
    isAsking = true;
    groups.forgetAbandoned();
    List<Asking> asking = new ArrayList<>(asked.size());
    for (Waiter one : asked) {
      long patience = Math.min(AHEAD_MICROS, Math.max(0, one.leftMicros()));
      SlotRequest wish = one.wish();
      asking.add(new Asking(one.id(), wish.group(), patience, wish.before(), wish.mayProbe()));
    }
    Future.fromCompletionStage(
            store.book(upstream, caller, ended.stream().map(Ending::end).toList(), asking), context)
        .onComplete(answer -> {
          long wait = 0;
          try {
            wait = answer.succeeded()
                ? answered(asked, ended, answer.result())
                : failed(asked, ended, answer.cause());
          } finally {
            isAsking = false; // a request that is woken here asks with the next call
            goOn(wait);
          }
        });
  }

  // It is unknown whether they were booked: they are ended either way.
  private long failed(List<Waiter> asked, List<Ending> ended, Throwable error) {
    ended.forEach(one -> one.held().fail(error));
    for (Waiter waiter : asked) {
      groups.of(waiter).remove(waiter);
      waiter.fail(RefusedException.of(error));
      endings.addUnknown(waiter.id());
    }
    return 0;
  }

  private long answered(List<Waiter> asked, List<Ending> ended, BookingAnswer answer) {
    meters.stands(upstream.upstream(), answer);
    SlotEndings.completed(ended, answer.held());
    long wait = AHEAD_MICROS;
    for (int i = 0; i < asked.size(); i++) {
      wait = Math.min(wait, take(asked.get(i), answer.bookings().get(i)));
    }
    groups.all().stream()
        .filter(GroupQueue::isBlocked)
        .forEach(group -> group.leave(
            waiter -> !waiter.takesPlace(places.waiting(), () -> displaced(waiter)),
            refusals::full));
    return wait;
  }

  // The place was lent, and another caller needs it.
  private void displaced(Waiter waiter) {
    context.runOnContext(now -> {
      if (groups.of(waiter).remove(waiter)) {
        refusals.full(waiter);
      }
    });
  }

  private void unused(BookedSlot entered) {
    String probe = entered.isProbe() ? "unknown" : "";
    Future<Boolean> unused = end(entered.id(), entered.provider(), Lesson.of("", 0, 0, probe));
  }

  // Returns the time in microseconds after which to ask again.
  private long take(Waiter waiter, Booking booking) {
    GroupQueue group = groups.of(waiter);
    if (booking instanceof Booked booked) {
      group.unblock();
      groups.comesLast(waiter);
      if (booked.isProbe()) {
        meters.breaker(name(), booked.provider(), "half_open");
      }
      handover.book(waiter, booked, group.served(waiter));
    } else if (booking instanceof Booking.Open open) {
      group.unblock();
      group.leave(one -> true, one -> refusals.open(one, open.waitMicros()));
    } else if (booking instanceof Booking.Later later) {
      return later(group, waiter, later.waitMicros());
    } else if (booking instanceof Booking.Full) {
      group.full();
      return FULL_MICROS * Math.min(SLOWEST, 1 + groups.waiting() / GROUPS_AT_ONCE);
    }
    return AHEAD_MICROS;
  }

  private long later(GroupQueue group, Waiter waiter, long waitMicros) {
    group.block();
    if (waitMicros <= waiter.leftMicros()) {
      return Math.max(FULL_MICROS, waitMicros - AHEAD_MICROS);
    }
    if (group.remove(waiter)) {
      refusals.tooLate(waiter, waitMicros);
    }
    return 0;
  }

  private void goOn(long waitMicros) {
    if (groups.isWorthAsking() || !endings.isEmpty() || groups.hasAbandoned()) {
      wake();
    } else if (groups.isWaiting()) {
      askIn(waitMicros);
    }
    watch();
  }

  private void watch() {
    if (sweep < 0 && groups.isWaiting()) {
      sweep = context.setTimer(SWEEP_MILLIS, due -> sweep());
    }
  }

  // Removes requests past their deadline, and those whose callers hung up.
  private void sweep() {
    sweep = -1;
    for (GroupQueue group : groups.all()) {
      group.leave(Waiter::isGone, Waiter::giveUp);
      group.leave(waiter -> waiter.leftMicros() <= 0, waiter -> refusals.tooLate(waiter, 0));
    }
    if (groups.hasAbandoned()) {
      wake();
    }
    watch();
  }
}
