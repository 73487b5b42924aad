package io.weir.model;

import static io.weir.core.bucket.LeakyBucket.ceilDiv;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotLimits;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.SlotRules;
import io.weir.core.slot.TicketRequest;
import io.weir.model.BucketTurn.Booked;
import io.weir.model.BucketTurn.Idle;
import io.weir.model.Place.Share;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides on a request if callers wait or it would have to wait, over all of its buckets: pure functions from {@link
 * BucketTurn}s to their new states. {@code lua/lib/queue/booking.lua} has the same for Redis.
 *
 * @param queueHasRoom whether another place may be made
 */
public record SlotBooking(
    long nowMicros, SlotRules rules, TicketRequest request, boolean queueHasRoom) {

  /**
   * A decision with its effects.
   *
   * @param turns the buckets afterwards
   * @param waitMicros 0 if the request is allowed
   * @param estimate whether nothing is promised for the end of the wait
   * @param place the present place of the caller
   * @param idle the idle interval before it, if its slot was delayed
   * @param changed whether anything has to be written
   */
  public record Result(
      Outcome outcome,
      List<BucketTurn> turns,
      long waitMicros,
      boolean estimate,
      Optional<Place> place,
      Optional<Place> idle,
      Returned returned,
      boolean made,
      boolean changed) {
    public Result {
      turns = List.copyOf(turns);
    }

    public List<BucketState> states() {
      return turns.stream().map(BucketTurn::state).toList();
    }
  }

  /** The shares that a request takes from the buckets of its key and tenant; shared buckets have no places. */
  public static List<Share> shares(List<Demand> demands, long cost) {
    return demands.stream()
        .filter(demand -> demand.bucket().scope() != Scope.CLUSTER)
        .map(demand -> new Share(
            demand.bucket().scope(),
            demand.bucket().name(),
            demand.bucket().rate(),
            demand.units(cost),
            false))
        .toList();
  }

  /** Decides on a caller without a place. */
  public Result newcomer(List<BucketTurn> turns, Returned returned) {
    return newcomer(turns, returned, false);
  }

  /**
   * Decides on a caller with a place.
   *
   * @param mine its place, not overdue, for a request with the same demands
   */
  public Result comeBack(List<BucketTurn> turns, Place mine) {
    if (nowMicros < mine.slotMicros()) {
      return denied(turns, mine.slotMicros() - nowMicros, Optional.of(mine), Returned.EARLY, false);
    }
    List<BucketTurn> held = asHeldBy(turns, mine);
    OptionalLong slot = slot(held);
    if (slot.isEmpty()) {
      return admitted(held, Returned.KEPT);
    }
    long comes = mine.isForAnybody() ? wholeSecond(slot.getAsLong()) : slot.getAsLong();
    return comes + rules.toleranceMicros() <= mine.untilMicros()
        ? moved(held, mine, slot.getAsLong(), comes)
        : newcomer(held.stream().map(BucketTurn::released).toList(), Returned.BROKEN, true);
  }

  private Result newcomer(List<BucketTurn> turns, Returned returned, boolean wasReleased) {
    OptionalLong slot = slot(turns);
    if (slot.isEmpty()) {
      return admitted(turns, returned);
    }
    if (rules.mode() == SlotMode.OFF) {
      return estimate(turns, slot.getAsLong(), returned, wasReleased);
    }
    return canBook(turns, slot.getAsLong())
        ? booked(turns, slot.getAsLong(), returned)
        : spread(turns, returned, wasReleased);
  }

  // The time when all buckets are ready; empty if they are ready now.
  private OptionalLong slot(List<BucketTurn> turns) {
    return turns.stream()
        .filter(turn -> !turn.isReady())
        .mapToLong(turn -> Math.max(nowMicros, turn.readyMicros()))
        .max();
  }

  private boolean canBook(List<BucketTurn> turns, long slot) {
    long comes = comes(slot);
    return rules.mode() == SlotMode.RESERVE
        && queueHasRoom
        && slot - nowMicros <= furthestMicros(slot - nowMicros)
        && turns.stream()
            .allMatch(turn -> turn.isOwn() ? turn.canHold(slot, comes, rules) : turn.isReady());
  }

  // HTTP clients come back after 30 s at most, whatever Retry-After says (undici's RetryHandler,
  // maxTimeout): half of the default.
  private long furthestMicros(long wait) {
    return request.wants(wait) ? rules.horizonMicros() : rules.horizonMicros() / 2;
  }

  private Result booked(List<BucketTurn> turns, long slot, Returned returned) {
    long comes = comes(slot);
    long told = slot;
    long until = Long.MAX_VALUE;
    List<BucketTurn> after = new ArrayList<>();
    List<Idle> idle = new ArrayList<>();
    for (BucketTurn turn : turns) {
      if (!turn.isOwn()) {
        after.add(turn);
        continue;
      }
      Booked booked = turn.book(nowMicros, slot, comes, rules);
      after.add(booked.turn());
      idle.addAll(booked.idle().stream().toList());
      told = booked.idle().isPresent() ? Math.max(told, booked.standsMicros()) : told;
      until = booked.turn().isHeld()
          ? Math.min(until, booked.standsMicros() + turn.holdsMicros(rules))
          : until;
    }
    boolean hasTicket = request.wants(slot - nowMicros);
    Place place = new Place(
        hasTicket ? request.newId() : Place.ANYBODY,
        told,
        Math.min(deadline(told, hasTicket), until),
        until,
        shares(after));
    return new Result(
        Outcome.DENIED,
        after,
        told - nowMicros,
        false,
        Optional.of(place),
        idlePlace(idle),
        returned,
        true,
        true);
  }

  private Optional<Place> idlePlace(List<Idle> idle) {
    long ends = idle.stream().mapToLong(Idle::endsMicros).reduce(nowMicros, Math::max);
    List<Share> shares = idle.stream().map(Idle::share).toList();
    return idle.isEmpty()
        ? Optional.empty()
        : Optional.of(new Place(Place.NOBODY, ends, ends, ends, shares));
  }

  // Estimates are spaced, so that no two callers get the same time.
  private Result spread(List<BucketTurn> turns, Returned returned, boolean wasReleased) {
    List<BucketTurn> told = turns.stream()
        .map(turn -> turn.isReady() ? turn : turn.estimated(nowMicros, rules))
        .toList();
    long latest = told.stream()
        .filter(turn -> !turn.isReady())
        .mapToLong(BucketTurn::estimateMicros)
        .reduce(nowMicros, Math::max);
    return estimate(told, latest, returned, wasReleased);
  }

  // Another bucket had no room: the place is kept, and the other bucket holds it, too.
  private Result moved(List<BucketTurn> turns, Place mine, long slot, long comes) {
    List<BucketTurn> after = new ArrayList<>();
    long until = mine.untilMicros();
    for (BucketTurn turn : turns) {
      BucketTurn joined = turn.joined(comes, rules);
      boolean isNew = joined.isHeld() && !turn.isHeld();
      until = isNew ? Math.min(until, turn.turnMicros() + turn.holdsMicros(rules)) : until;
      after.add(joined);
    }
    Place place = new Place(
        mine.id(),
        slot,
        Math.min(deadline(slot, !mine.isForAnybody()), until),
        until,
        shares(after));
    return denied(after, slot - nowMicros, Optional.of(place), Returned.BROKEN, true);
  }

  private static Result admitted(List<BucketTurn> turns, Returned returned) {
    return new Result(
        Outcome.ALLOWED,
        turns.stream().map(BucketTurn::admitted).toList(),
        0,
        false,
        Optional.empty(),
        Optional.empty(),
        returned,
        false,
        true);
  }

  private Result estimate(
      List<BucketTurn> turns, long atMicros, Returned returned, boolean changed) {
    return new Result(
        Outcome.DENIED,
        turns,
        atMicros - nowMicros,
        true,
        Optional.empty(),
        Optional.empty(),
        returned,
        false,
        changed);
  }

  private static Result denied(
      List<BucketTurn> turns,
      long wait,
      Optional<Place> place,
      Returned returned,
      boolean changed) {
    return new Result(
        Outcome.DENIED, turns, wait, false, place, Optional.empty(), returned, false, changed);
  }

  private static List<BucketTurn> asHeldBy(List<BucketTurn> turns, Place mine) {
    Iterator<Share> shares = mine.shares().iterator();
    return turns.stream()
        .map(turn -> turn.held(turn.isOwn() && shares.next().held()))
        .toList();
  }

  private static List<Share> shares(List<BucketTurn> turns) {
    return turns.stream().filter(BucketTurn::isOwn).map(BucketTurn::share).toList();
  }

  // Callers that wait for whole seconds may be late by one second; counted from the slot, so that
  // places without a ticket end in the order of their slots.
  private long deadline(long slot, boolean hasTicket) {
    return slot + (hasTicket ? 0 : SlotLimits.SECOND_US) + rules.latenessMicros();
  }

  private long comes(long slot) {
    return request.wants(slot - nowMicros) ? slot : wholeSecond(slot);
  }

  // The arrival of a caller that waits for whole seconds: its answer and its request take time,
  // too.
  private long wholeSecond(long slot) {
    return nowMicros
        + ceilDiv(slot - nowMicros, SlotLimits.SECOND_US) * SlotLimits.SECOND_US
        + SlotLimits.ON_ITS_WAY_US;
  }
}
