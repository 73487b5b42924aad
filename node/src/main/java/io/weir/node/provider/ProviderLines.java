package io.weir.node.provider;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Bulkhead;
import io.weir.node.metrics.ProviderMeters;
import io.weir.node.provider.ProviderGate.Entered;
import io.weir.state.redis.RedisProviders;
import io.weir.state.redis.RedisProviders.Prepared;
import io.weir.upstream.Booking;
import io.weir.upstream.Booking.Asking;
import io.weir.upstream.Booking.Booked;
import io.weir.upstream.Booking.End;
import io.weir.upstream.Booking.Lesson;
import io.weir.upstream.Booking.Told;
import io.weir.upstream.Providers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;

/**
 * The requests of one event loop that wait for an upstream, first come, first served in each group, and those that are over:
 * one call of the shared state at a time tells and asks for all of them, and what comes meanwhile goes with the next one. A
 * booking may be up to a second ahead; then the request waits for its moment by itself. Mutable; owned by its event loop.
 */
final class ProviderLines {
  private static final long AHEAD_MICROS = 1_000_000;
  private static final int ASKED_AT_ONCE = 64;
  private static final int ENDED_AT_ONCE = 256;
  /** So many stand in line only because a call is under way. */
  private static final int PASSING = 256;

  private static final int TELLINGS = 3;
  private static final long TOLD_AGAIN_MILLIS = 300;
  private static final long FULL_MICROS = 50_000;
  private static final long SWEEP_MILLIS = 20;
  private static final long NANOS_PER_MICRO = 1000;
  private static final ProblemDetails QUEUE_FULL = ProblemDetails.of(
          429, "upstream_queue_full", "Too many requests wait for the providers of this upstream")
      .with("retryAfterMs", 1000L);
  private static final ProblemDetails TOO_LATE = ProblemDetails.of(
      503, "upstream_queue_timeout", "No provider could take the request in time");
  private static final ProblemDetails OPEN = ProblemDetails.of(
      503, "upstream_open", "All providers of this upstream have failed and are left alone");

  private final Vertx vertx;
  private final Context context;
  private final RedisProviders store;
  private final ProviderMeters meters;
  private final Bulkhead places;
  private final Prepared upstream;
  private final Map<String, Line> lines = new HashMap<>();
  private final Queue<Ending> ends = new ArrayDeque<>();
  private final String prefix = UUID.randomUUID().toString() + "-";
  private long made;
  private boolean isAsking;
  private long timer = -1;
  private long sweep = -1;
  private long usedNanos = System.nanoTime();

  /** @param places whoever cannot be sent at once needs one */
  ProviderLines(
      Vertx vertx,
      Context context,
      RedisProviders store,
      ProviderMeters meters,
      Bulkhead places,
      Providers upstream) {
    this.vertx = vertx;
    this.context = context;
    this.store = store;
    this.meters = meters;
    this.places = places;
    this.upstream = RedisProviders.prepare(upstream);
  }

  /** Those of a group. */
  private static final class Line {
    private final Queue<Waiter> waiting = new ArrayDeque<>();
    /** The first one was not booked when it was asked for: the others need not be asked for. */
    private boolean isBlocked;
  }

  /** One that is over, and who wants to know whether it was held. */
  private record Ending(End end, Promise<Boolean> held, int tries) {}

  String name() {
    return upstream.upstream().name();
  }

  /** Whether nobody has used it for so long. */
  boolean isIdle(long nanos) {
    return System.nanoTime() - usedNanos > nanos
        && !isAsking
        && ends.isEmpty()
        && lines.values().stream().allMatch(line -> line.waiting.isEmpty());
  }

  /** Waits for its turn. */
  Future<Entered> enter(Wish wish) {
    usedNanos = System.nanoTime();
    Line line = lines.computeIfAbsent(wish.group(), group -> new Line());
    Waiter waiter = new Waiter(wish, prefix + made++);
    if (line.waiting.size() >= PASSING && !waiter.takesPlace(places)) {
      return Future.failedFuture(new RefusedException(QUEUE_FULL));
    }
    meters.waiting(name(), 1);
    line.waiting.add(waiter);
    if (!line.isBlocked) {
      wake();
    } else if (!waiter.takesPlace(places)) {
      line.waiting.remove(waiter);
      refuse(waiter, QUEUE_FULL);
    }
    return waiter.done();
  }

  /** Tells that one is over; gives whether it was held, as far as anybody knows. */
  Future<Boolean> end(String id, String provider, Lesson lesson) {
    return end(new End(id, provider, lesson), TELLINGS);
  }

  private Future<Boolean> end(End end, int tries) {
    Ending ending = new Ending(end, Promise.promise(), tries);
    ends.add(ending);
    wake();
    return ending.held().future();
  }

  private void refuse(Waiter waiter, ProblemDetails problem) {
    meters.waiting(name(), -1);
    waiter.refuse(problem);
  }

  private void refuse(Waiter waiter, ProblemDetails problem, long waitMicros) {
    refuse(waiter, problem.with("retryAfterMs", Math.max(1, (waitMicros + 999) / 1000)));
  }

  /** Something may have changed: asks again. */
  void wake() {
    if (isAsking) {
      return;
    }
    vertx.cancelTimer(timer);
    List<Waiter> asked = first();
    List<Ending> told = new ArrayList<>();
    while (!ends.isEmpty() && told.size() < ENDED_AT_ONCE) {
      told.add(ends.remove());
    }
    if (!asked.isEmpty() || !told.isEmpty()) {
      ask(asked, told);
    }
  }

  // Of those whose first one waits for a slot only that one.
  private List<Waiter> first() {
    List<Waiter> asked = new ArrayList<>();
    for (Line line : lines.values()) {
      int most = line.isBlocked ? 1 : ASKED_AT_ONCE;
      line.waiting.removeIf(this::isGone);
      line.waiting.stream().limit(Math.min(most, ASKED_AT_ONCE - asked.size())).forEach(asked::add);
    }
    return asked;
  }

  private boolean isGone(Waiter waiter) {
    if (!waiter.wish().isGone().getAsBoolean()) {
      return false;
    }
    meters.waiting(name(), -1);
    waiter.giveUp();
    return true;
  }

  private void ask(List<Waiter> asked, List<Ending> told) {
    isAsking = true;
    List<Asking> asking = new ArrayList<>(asked.size());
    for (Waiter one : asked) {
      Wish wish = one.wish();
      long patience = Math.min(AHEAD_MICROS, Math.max(0, one.leftMicros()));
      asking.add(new Asking(one.id(), wish.group(), patience, wish.before()));
    }
    Future.fromCompletionStage(
            store.book(upstream, told.stream().map(Ending::end).toList(), asking), context)
        .onComplete(answer -> {
          isAsking = false;
          if (answer.succeeded()) {
            heard(asked, told, answer.result());
          } else {
            notHeard(asked, told, answer.cause());
          }
        });
  }

  // Whether it was booked is not known: it is ended either way.
  private void notHeard(List<Waiter> asked, List<Ending> told, Throwable error) {
    for (Ending ending : told) {
      tellAgain(ending);
    }
    for (Waiter waiter : asked) {
      tellAgain(new Ending(End.unknown(waiter.id()), Promise.promise(), TELLINGS));
      if (line(waiter).waiting.remove(waiter)) {
        meters.waiting(name(), -1);
        waiter.fail(ProviderGate.refusal(error));
      }
    }
    wake();
  }

  // Where nobody hears it, its lease ends.
  private void tellAgain(Ending ending) {
    if (ending.tries() <= 1) {
      ending.held().complete(false);
    } else {
      vertx.setTimer(TOLD_AGAIN_MILLIS, due -> {
        ends.add(new Ending(ending.end(), ending.held(), ending.tries() - 1));
        wake();
      });
    }
  }

  private Line line(Waiter waiter) {
    return lines.computeIfAbsent(waiter.wish().group(), group -> new Line());
  }

  private void heard(List<Waiter> asked, List<Ending> told, Told answer) {
    meters.stands(upstream.upstream(), answer);
    for (int i = 0; i < told.size(); i++) {
      told.get(i).held().complete(answer.held().get(i));
    }
    long wait = Long.MAX_VALUE;
    for (int i = 0; i < asked.size(); i++) {
      wait = Math.min(wait, take(asked.get(i), answer.bookings().get(i)));
    }
    for (Waiter waiter : asked) {
      if (!waiter.isOver() && !waiter.takesPlace(places)) {
        line(waiter).waiting.remove(waiter);
        refuse(waiter, QUEUE_FULL);
      }
    }
    goOn(wait);
  }

  // In how many microseconds it is worth asking again.
  private long take(Waiter waiter, Booking booking) {
    Line line = line(waiter);
    if (booking instanceof Booked booked) {
      line.isBlocked = false;
      boolean isWanted = line.waiting.remove(waiter);
      if (isWanted) {
        meters.waiting(name(), -1);
      }
      book(waiter, booked, isWanted);
    } else if (booking instanceof Booking.Open open) {
      line.isBlocked = false;
      line.waiting.forEach(one -> refuse(one, OPEN, open.waitMicros()));
      line.waiting.clear();
    } else if (booking instanceof Booking.Later later) {
      return later(line, waiter, later.waitMicros());
    } else if (booking instanceof Booking.Full) {
      line.isBlocked = !line.waiting.isEmpty();
      return FULL_MICROS;
    }
    return Long.MAX_VALUE;
  }

  private long later(Line line, Waiter waiter, long waitMicros) {
    line.isBlocked = !line.waiting.isEmpty();
    if (waitMicros <= waiter.leftMicros()) {
      return Math.max(0, waitMicros - AHEAD_MICROS) + 1;
    }
    if (line.waiting.remove(waiter)) {
      refuse(waiter, TOO_LATE, waitMicros);
    }
    return 1;
  }

  private void goOn(long waitMicros) {
    boolean isOpen =
        lines.values().stream().anyMatch(line -> !line.isBlocked && !line.waiting.isEmpty());
    boolean isWaiting = lines.values().stream().anyMatch(line -> !line.waiting.isEmpty());
    if (isOpen || !ends.isEmpty()) {
      wake();
    } else if (isWaiting) {
      long millis = Math.min(FULL_MICROS, waitMicros) / 1000 + 1;
      timer = vertx.setTimer(millis, due -> wake());
    }
    if (isWaiting && sweep < 0) {
      sweep = vertx.setTimer(SWEEP_MILLIS, due -> sweep());
    }
  }

  // Refuses who waits for too long.
  private void sweep() {
    sweep = -1;
    boolean isWaiting = false;
    for (Line line : lines.values()) {
      line.waiting.removeIf(waiter -> {
        boolean isLate = waiter.leftMicros() <= 0;
        if (isLate) {
          refuse(waiter, TOO_LATE, 0);
        }
        return isLate;
      });
      line.isBlocked &= !line.waiting.isEmpty();
      isWaiting |= !line.waiting.isEmpty();
    }
    if (isWaiting) {
      sweep = vertx.setTimer(SWEEP_MILLIS, due -> sweep());
    }
  }

  // Rounded up: never before its moment.
  private void book(Waiter waiter, Booked booked, boolean isWanted) {
    Entered entered = new Entered(
        upstream.upstream(), waiter.id(), booked.provider(), booked.key(), booked.isProbe());
    if (booked.isProbe()) {
      meters.breaker(name(), booked.provider(), "half_open");
    }
    long millis = (booked.delayMicros() + 999) / NANOS_PER_MICRO;
    if (!isWanted) {
      unused(entered);
    } else if (millis == 0) {
      begin(waiter, entered);
    } else {
      waiter.isBooked();
      vertx.setTimer(millis, due -> begin(waiter, entered));
    }
  }

  private void begin(Waiter waiter, Entered entered) {
    if (waiter.wish().isGone().getAsBoolean()) {
      waiter.giveUp();
      unused(entered);
    } else {
      waiter.begin(entered);
    }
  }

  private void unused(Entered entered) {
    String probe = entered.isProbe() ? "unknown" : "";
    Future<Boolean> unused = end(entered.id(), entered.provider(), Lesson.of("", 0, 0, probe));
  }
}
