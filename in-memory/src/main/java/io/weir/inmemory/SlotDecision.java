package io.weir.inmemory;

import static io.weir.core.bucket.LeakyBucket.ceilDiv;
import static io.weir.core.slot.SlotLimits.MAX_UNITS;
import static io.weir.core.slot.SlotLimits.ON_ITS_WAY_US;
import static io.weir.core.slot.SlotLimits.SECOND_US;

import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.inmemory.PlaceSearch.Place;
import io.weir.inmemory.PlaceSearch.Requests;
import io.weir.inmemory.Turns.Turn;
import io.weir.inmemory.Waiter.Moment;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides on one request: it is admitted, or gets a place in the calendars of its buckets, or an estimate. Lives for
 * one charge. {@code lua/lib/queue/decide.lua} has the same.
 */
final class SlotDecision {
  private static final long LATE_US = 500_000;

  private final long now;
  private final long cost;
  private final SlotMode mode;
  private final TicketRequest asked;
  private final List<BucketView> views;
  private final RequestBuckets buckets;
  private final long paid;
  private final State key;

  private Optional<Ticket> ticket = Optional.empty();
  private @Nullable Moment moment;
  private Returned returned = Returned.NOT;
  private boolean isOurs;
  private boolean isEarly;
  private boolean hasWaited;
  private boolean made;

  /** The decision. */
  record Result(
      boolean isAdmitted,
      long waitMicros,
      boolean estimate,
      Optional<String> ticket,
      Returned returned,
      boolean made) {}

  /**
   * @param paid which overflows pay, as bits
   * @param key the state of the key
   */
  SlotDecision(
      long now,
      long cost,
      SlotMode mode,
      TicketRequest asked,
      List<BucketView> views,
      long paid,
      State key) {
    this.now = now;
    this.cost = cost;
    this.mode = mode;
    this.asked = asked;
    this.views = views;
    this.buckets = new RequestBuckets(views, cost);
    this.paid = paid;
    this.key = key;
  }

  Result decide() {
    findPlace();
    boolean isOff = mode == SlotMode.OFF;
    boolean fits = true;
    for (int i = 0; i < views.size(); i++) {
      BucketView view = views.get(i);
      fits &= isOff ? view.hasRoom() : view.hasRoom(hasWaitedFor(i), asked.wantsAlways());
    }
    if (fits) {
      return admit();
    }
    if (isEarly) {
      return comeAgain();
    }
    if (isOurs) {
      spend();
      returned = Returned.BROKEN;
    }
    return isOff ? off() : denied();
  }

  /** The answer to a newcomer with no regard for others who wait; changes nothing. */
  Result alone() {
    return buckets.haveRoom() ? result(true, 0, false, Optional.empty()) : off();
  }

  /** The answer that a newcomer would get; changes nothing. */
  Result peek() {
    if (mode == SlotMode.OFF) {
      return alone();
    }
    long wait = buckets.longest(view -> view.hasRoom(false, asked.wantsAlways())
        ? 0
        : Math.max(view.waitMicros(), view.newcomerWaitMicros()));
    return result(wait == 0, wait, wait > 0, Optional.empty());
  }

  /** Whether the shown ticket is for these buckets. */
  boolean isForTicket() {
    return asked
        .shown()
        .map(Ticket::parse)
        .filter(shown -> shown.number() > 0 && shown.paid() == paid)
        .filter(this::isSigned)
        .isPresent();
  }

  private boolean isSigned(Ticket shown) {
    long mark = shown.number() > 0 ? buckets.mark(shown.isShared()) : buckets.kind();
    return key.waiter().filter(of -> shown.isSigned(of.secret(), cost, mark)).isPresent();
  }

  private void findPlace() {
    Waiter waiter = key.waiter().orElse(null);
    asked.shown().map(Ticket::parse).ifPresent(this::show);
    if (!asked.wantsAlways()
        && !isOurs
        && waiter != null
        && buckets.haveQueue()
        && mode != SlotMode.OFF) {
      note(waiter);
      waiter
          .due(now, cost, buckets.dueMark(true), buckets.dueMark(false))
          .filter(due -> buckets.areAlive(due.at(), due.isShared()))
          .ifPresent(due -> {
            moment = due;
            own(due.at(), due.isShared());
          });
    }
  }

  private void note(Waiter waiter) {
    waiter.note(strangers(waiter), now, cost, buckets.longest(BucketView::furthestMicros));
  }

  private Strangers strangers(Waiter waiter) {
    return waiter.strangers(buckets.kind(), now, buckets.drained());
  }

  private void show(Ticket shown) {
    if (!isSigned(shown)) {
      returned = shown.slot() < now - LATE_US ? Returned.LATE : Returned.UNKNOWN;
      return;
    }
    boolean isAhead = now < shown.slot();
    hasWaited = !isAhead && now <= shown.slot() + buckets.longest(BucketView::waitedMicros);
    if (shown.number() == 0) {
      isEarly = isAhead;
    } else if (!buckets.areAlive(shown.slot(), shown.isShared())) {
      returned = Returned.LATE;
    } else if (!key.waiter().orElseThrow().isUnused(shown.number())) {
      returned = Returned.UNKNOWN;
    } else {
      isEarly = isAhead;
      own(shown.slot(), shown.isShared());
    }
    ticket = Optional.of(shown);
  }

  // A caller that has waited for one bucket is a newcomer at another one.
  private boolean hasWaitedFor(int bucket) {
    return hasWaited && ticket.orElseThrow().isFor(bucket);
  }

  private void own(long at, boolean isShared) {
    isOurs = true;
    returned = Returned.KEPT;
    buckets.giveBack(at, isShared, isEarly);
  }

  private Result admit() {
    if (isOurs) {
      spend();
    }
    views.forEach(BucketView::take);
    return result(true, 0, false, Optional.empty());
  }

  // The place is used up: a ticket works once.
  private void spend() {
    Waiter waiter = key.makeWaiter();
    if (moment != null) {
      waiter.claim(moment, cost);
      strangers(waiter).claim(cost);
    } else {
      waiter.use(ticket.orElseThrow().number());
    }
  }

  private Result comeAgain() {
    Ticket shown = ticket.orElseThrow();
    if (isOurs) {
      buckets.restore(shown.isShared());
    }
    returned = Returned.EARLY;
    return result(false, shown.slot() - now, shown.number() == 0, asked.shown());
  }

  private Result off() {
    long wait = buckets.longest(view -> view.isRefused() ? view.newcomerWaitMicros() : 0);
    return result(false, wait, true, Optional.empty());
  }

  private Result denied() {
    boolean[] mine = new boolean[views.size()];
    Turn turn = Turn.at(now);
    for (int i = 0; i < mine.length; i++) {
      BucketView view = views.get(i);
      mine[i] = view.isMine(hasWaitedFor(i));
      turn = view.isRefused() ? turn.and(Turns.next(view, hasWaitedFor(i), asked)) : turn;
      mine[i] |= view.isRefused() && Turns.isPassedOver(view, asked);
    }
    Optional<Result> placed = mode == SlotMode.RESERVE ? placed(turn, mine) : Optional.empty();
    return placed.isPresent() ? placed.get() : estimate(turn.fitsAt(), mine);
  }

  private Optional<Result> placed(Turn turn, boolean[] mine) {
    Waiter waiter = key.waiter().orElseGet(this::newWaiter);
    if (turn.isBehind()) {
      return Optional.empty();
    }
    PlaceSearch search = new PlaceSearch(now, views, mine, this::hasWaitedFor, asked.wantsAlways());
    Optional<Place> place =
        asked.wants() && waiter.hasNumber(now) ? search.forTicket(turn.turn()) : Optional.empty();
    if (place.isPresent() && asked.wants(place.get().slot() - now)) {
      return Optional.of(ticketed(place.get(), waiter));
    } else if (place.isEmpty() && asked.wantsAlways()) {
      return Optional.empty();
    }
    Strangers others = strangers(waiter);
    Requests kind = new Requests(
        width -> others.company(width, cost), buckets.dueMark(true), buckets.dueMark(false));
    return search.atSecond(turn.turn(), waiter, kind).map(at -> atMoment(at, waiter));
  }

  private Waiter newWaiter() {
    Waiter waiter = key.makeWaiter();
    if (!asked.wantsAlways()) {
      note(waiter);
    }
    return waiter;
  }

  private Result ticketed(Place place, Waiter waiter) {
    long until = buckets.hold(place, asked.wantsAlways());
    made = true;
    long knownUntil = Math.max(until, place.slot() + buckets.longest(BucketView::waitedMicros));
    String secret = waiter.secretFor(asked.secret(), knownUntil);
    long number = waiter.nextNumber(until);
    Ticket given = Ticket.of(place.slot(), number, paid, place.isShared())
        .signed(secret, cost, buckets.mark(place.isShared()));
    return result(false, place.slot() - now, false, Optional.of(given.text()));
  }

  private Result atMoment(Place place, Waiter waiter) {
    long until = buckets.hold(place, asked.wantsAlways());
    made = true;
    long more = place.times() > MAX_UNITS / cost ? MAX_UNITS : cost * place.times();
    long mark = buckets.dueMark(place.isShared());
    waiter.keep(new Moment(place.due(), more, mark, place.isShared(), until));
    return result(false, place.slot() - now, false, Optional.empty());
  }

  private Result estimate(long turn, boolean[] mine) {
    long end = now + ceilDiv(turn - now, SECOND_US) * SECOND_US + ON_ITS_WAY_US;
    for (int i = 0; i < mine.length; i++) {
      BucketView view = views.get(i);
      if (view.isRefused() && (mine[i] || view.waiting() == 1)) {
        view.waitsUntil(end);
      }
    }
    Waiter waiter = key.waiter().orElse(null);
    if (mode != SlotMode.RESERVE || waiter == null || !asked.wants(turn - now)) {
      return result(false, turn - now, true, Optional.empty());
    }
    String secret =
        waiter.secretFor(asked.secret(), turn + buckets.longest(BucketView::waitedMicros));
    Ticket proof = Ticket.waiting(turn, buckets.refused()).signed(secret, cost, buckets.kind());
    return result(false, turn - now, true, Optional.of(proof.text()));
  }

  private Result result(boolean isAdmitted, long wait, boolean isEstimate, Optional<String> shown) {
    return new Result(isAdmitted, wait, isEstimate, shown, returned, made);
  }
}
