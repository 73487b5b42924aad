package io.weir.slot;

import static io.weir.slot.BucketState.ceilDiv;

import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.bucket.Scope;
import io.weir.decision.Verdict.Outcome;
import io.weir.slot.Appointment.Share;
import io.weir.slot.QueueReport.Returned;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Decides on a request where somebody waits or would have to: computes what becomes of its buckets and of
 * its place in the line, and changes nothing. {@code lua/lib/booking.lua} says the same to Redis.
 */
public final class Booking {
  private final long now;
  private final SlotRules rules;
  private final TicketRequest request;
  private final List<Draw> draws;
  private final long cost;
  private final BucketState[] states;
  private final boolean[] held;
  private final long[] estimates;
  private final boolean lineHasRoom;

  /**
   * @param states per draw, at this instant and carried over to its bucket
   * @param estimates per draw, the last moment that was told without a place; 0 where none was
   * @param lineHasRoom whether another appointment may be made
   */
  public Booking(
      long nowMicros,
      SlotRules rules,
      TicketRequest request,
      List<Draw> draws,
      long cost,
      List<BucketState> states,
      List<Long> estimates,
      boolean lineHasRoom) {
    this.now = nowMicros;
    this.rules = rules;
    this.request = request;
    this.draws = draws;
    this.cost = cost;
    this.states = states.toArray(BucketState[]::new);
    this.held = new boolean[draws.size()];
    this.estimates = estimates.stream().mapToLong(Long::longValue).toArray();
    this.lineHasRoom = lineHasRoom;
  }

  /**
   * What was decided.
   *
   * @param states per draw, after it
   * @param estimates per draw, after it
   * @param waitMicros 0 where the request is allowed
   * @param estimate whether the wait is no appointment
   * @param place the appointment that the caller has now
   * @param gap the appointment of nobody before it, where its slot was put off
   * @param changed whether there is anything to be written
   */
  public record Result(
      Outcome outcome,
      List<BucketState> states,
      List<Long> estimates,
      long waitMicros,
      boolean estimate,
      Optional<Appointment> place,
      Optional<Appointment> gap,
      Returned returned,
      boolean made,
      boolean changed) {
    public Result {
      states = List.copyOf(states);
      estimates = List.copyOf(estimates);
    }
  }

  /** What a request takes from the buckets of its subject and tenant; shared ones take no appointments. */
  public static List<Share> shares(List<Draw> draws, long cost) {
    return draws.stream()
        .filter(draw -> draw.bucket().scope() != Scope.CLUSTER)
        .map(draw -> new Share(
            draw.bucket().scope(),
            draw.bucket().name(),
            draw.bucket().milliOpsPerSec(),
            draw.units(cost),
            false))
        .toList();
  }

  /**
   * Decides on a caller that has a place.
   *
   * @param mine in time or too early, for just such a request
   */
  public Result comeBack(Appointment mine) {
    if (now < mine.slotMicros()) {
      return denied(
          mine.slotMicros() - now, false, Optional.of(mine), Returned.EARLY, false, false);
    }
    markHeld(mine);
    OptionalLong slot = latest();
    if (slot.isEmpty()) {
      return admit(Returned.KEPT);
    }
    long comes = mine.isForAnybody() ? wholeSecond(slot.getAsLong()) : slot.getAsLong();
    if (comes + rules.toleranceMicros() <= mine.untilMicros()) {
      return moved(mine, slot.getAsLong(), comes);
    }
    for (int i = 0; i < states.length; i++) {
      if (held[i]) {
        states[i] = states[i].released(units(i));
        held[i] = false;
      }
    }
    return newcomer(Returned.BROKEN, true);
  }

  /** Decides on a caller without a place. */
  public Result newcomer(Returned returned) {
    return newcomer(returned, false);
  }

  private Result newcomer(Returned returned, boolean released) {
    OptionalLong latest = latest();
    if (latest.isEmpty()) {
      return admit(returned);
    }
    long slot = latest.getAsLong();
    if (rules.mode() == SlotMode.OFF) {
      return denied(slot - now, true, Optional.empty(), returned, false, released);
    }
    return canBook(slot) ? book(slot, returned) : estimate(returned, released);
  }

  private boolean canBook(long slot) {
    long comes = request.wants(slot - now) ? slot : wholeSecond(slot);
    return rules.mode() == SlotMode.RESERVE
        && lineHasRoom
        && slot - now <= furthestSlotMicros(slot - now)
        && all(i -> isOwn(i) ? canHold(i, slot, comes) : isReady(i));
  }

  // Clients without tickets come back after 30 s whatever they were told (undici's RetryHandler,
  // maxTimeout): half of the default.
  private long furthestSlotMicros(long wait) {
    return request.wants(wait) ? rules.horizonMicros() : rules.horizonMicros() / 2;
  }

  // Whether a bucket can bear that its caller comes when it comes: one that waits for a whole
  // second may be late by that.
  private boolean canHold(int index, long slot, long comes) {
    long mostPutOff = Math.min(SlotLimits.MAX_PUT_OFF_US, roomMicros(index));
    return toleranceMicros(index) >= 0
        && (turn(index) != slot || standsAt(index, comes) - slot <= mostPutOff);
  }

  // The turn, or a little later where the place could not be held until its caller comes: a burst
  // of one second alone does not bear that callers come at whole seconds.
  private long standsAt(int index, long comes) {
    long tolerance = rules.toleranceMicros();
    long heldFor = Math.max(toleranceMicros(index), tolerance + SlotLimits.ON_ITS_WAY_US);
    return Math.max(turn(index), comes + tolerance - heldFor);
  }

  private Result book(long slot, Returned returned) {
    boolean ticket = request.wants(slot - now);
    long comes = ticket ? slot : wholeSecond(slot);
    long tolerance = rules.toleranceMicros();
    long until = Long.MAX_VALUE;
    List<Share> shares = new ArrayList<>();
    List<Share> gaps = new ArrayList<>();
    long gapsEnd = now;
    long told = slot;
    for (int i = 0; i < states.length; i++) {
      if (!isOwn(i)) {
        continue;
      }
      boolean hole = states[i].fits(bucket(i), units(i)) && states[i].hasHole(units(i));
      boolean decides = !hole && turn(i) == slot;
      long stands = hole ? now : decides ? standsAt(i, comes) : turn(i);
      boolean held = decides || stands + toleranceMicros(i) >= comes + tolerance;
      if (decides && stands > slot) {
        // Nobody stands in the gap; a turn after it is where this place stands.
        long gapEnds = stands - needMicros(i);
        states[i] = states[i].held(gapEnds, 0);
        gaps.add(share(i, (stands - slot) * bucket(i).milliOpsPerSec(), true));
        gapsEnd = Math.max(gapsEnd, gapEnds);
        told = Math.max(told, stands);
      }
      if (held) {
        until = Math.min(until, stands + toleranceMicros(i));
        states[i] = hole ? states[i].heldInHole(units(i)) : states[i].held(stands, padMicros(i));
      }
      shares.add(share(i, units(i), held));
    }
    Appointment place = new Appointment(
        ticket ? request.newId() : Appointment.ANYBODY,
        told,
        Math.min(latest(told, ticket), until),
        until,
        shares);
    Appointment gap = new Appointment(Appointment.NOBODY, gapsEnd, gapsEnd, gapsEnd, gaps);
    return new Result(
        Outcome.DENIED,
        List.of(states),
        estimates(),
        told - now,
        false,
        Optional.of(place),
        gaps.isEmpty() ? Optional.empty() : Optional.of(gap),
        returned,
        true,
        true);
  }

  // The k-th in excess is told the k-th time; behind a line with some room for those who come late.
  private Result estimate(Returned returned, boolean released) {
    long longest = now;
    for (int i = 0; i < states.length; i++) {
      BucketState state = states[i];
      if (isReady(i)) {
        continue;
      }
      long first = turn(i) + (state.waiting() == 0 ? 0 : behindLineMicros(i));
      long next = estimates[i] <= now ? first : Math.max(first, estimates[i] + needMicros(i));
      if (next - now > furthestMicros(i)) {
        next = first;
      }
      estimates[i] = next;
      longest = Math.max(longest, next);
    }
    return denied(longest - now, true, Optional.empty(), returned, false, released);
  }

  private Result admit(Returned returned) {
    for (int i = 0; i < states.length; i++) {
      states[i] = held[i] ? states[i].kept(units(i)) : states[i].admitted(bucket(i), units(i));
    }
    return new Result(
        Outcome.ALLOWED,
        List.of(states),
        estimates(),
        0,
        false,
        Optional.empty(),
        Optional.empty(),
        returned,
        false,
        true);
  }

  // When the last bucket is ready that is not; nothing where all are.
  private OptionalLong latest() {
    return IntStream.range(0, states.length)
        .filter(i -> !isReady(i))
        .mapToLong(i -> Math.max(now, held[i] ? roomAt(i) : turn(i)))
        .max();
  }

  // Where another bucket had no room: the place is kept, and the other bucket keeps one too.
  private Result moved(Appointment mine, long slot, long comes) {
    long until = mine.untilMicros();
    List<Share> shares = new ArrayList<>();
    for (int i = 0; i < states.length; i++) {
      if (!isOwn(i)) {
        continue;
      }
      long turn = turn(i);
      if (!held[i]
          && toleranceMicros(i) >= 0
          && !isReady(i)
          && turn + toleranceMicros(i) >= comes + rules.toleranceMicros()) {
        held[i] = true;
        until = Math.min(until, turn + toleranceMicros(i));
        states[i] = states[i].held(turn, padMicros(i));
      }
      shares.add(share(i, units(i), held[i]));
    }
    Appointment place = new Appointment(
        mine.id(), slot, Math.min(latest(slot, !mine.isForAnybody()), until), until, shares);
    return denied(slot - now, false, Optional.of(place), Returned.BROKEN, false, true);
  }

  private Result denied(
      long wait,
      boolean estimate,
      Optional<Appointment> place,
      Returned returned,
      boolean made,
      boolean changed) {
    return new Result(
        Outcome.DENIED,
        List.of(states),
        estimates(),
        wait,
        estimate,
        place,
        Optional.empty(),
        returned,
        made,
        changed);
  }

  private void markHeld(Appointment mine) {
    Iterator<Share> shares = mine.shares().iterator();
    for (int i = 0; i < states.length; i++) {
      held[i] = isOwn(i) && shares.next().held();
    }
  }

  // Who holds a place needs room for its water; where none is held, it is like a new caller there.
  private boolean isReady(int index) {
    return held[index]
        ? states[index].fits(bucket(index), units(index))
        : states[index].isReady(bucket(index), units(index));
  }

  private Share share(int index, long units, boolean held) {
    return new Share(
        bucket(index).scope(), bucket(index).name(), bucket(index).milliOpsPerSec(), units, held);
  }

  private long turn(int index) {
    return states[index].turnMicros(bucket(index), units(index));
  }

  // Whoever waits for a whole second may be late by that; counted from the slot, so that places
  // without a ticket end in the order of their slots.
  private long latest(long slot, boolean ticket) {
    return slot + (ticket ? 0 : SlotLimits.SECOND_US) + rules.latenessMicros();
  }

  /** When a caller is here that waits for a whole second: its answer and its request take time too. */
  private long wholeSecond(long slot) {
    return now
        + ceilDiv(slot - now, SlotLimits.SECOND_US) * SlotLimits.SECOND_US
        + SlotLimits.ON_ITS_WAY_US;
  }

  /** How long after its turn the bucket can hold a place; -1 where that is too short to be of use. */
  private long toleranceMicros(int index) {
    long room = roomMicros(index);
    long missing = rules.toleranceMicros() - room;
    if (missing <= 0) {
      return room;
    }
    return missing <= needMicros(index) / 4 ? room + missing : -1;
  }

  /** How much later the next one stands, where the bucket alone cannot bear that this one is late. */
  private long padMicros(int index) {
    return toleranceMicros(index) - roomMicros(index);
  }

  private long behindLineMicros(int index) {
    return Math.min(rules.latenessMicros(), roomMicros(index) / 2);
  }

  private long roomAt(int index) {
    return states[index].roomMicros(bucket(index), units(index));
  }

  // Nobody moves the estimates of other tenants far away by asking often.
  private long furthestMicros(int index) {
    long furthest = 2 * rules.horizonMicros();
    return isOwn(index) ? furthest : Math.min(furthest, SlotLimits.SHARED_SPREAD_US);
  }

  private long roomMicros(int index) {
    return bucket(index).burstMillis() * 1000 - needMicros(index);
  }

  private long needMicros(int index) {
    return ceilDiv(units(index), bucket(index).milliOpsPerSec());
  }

  private List<Long> estimates() {
    return Arrays.stream(estimates).boxed().toList();
  }

  private boolean isOwn(int index) {
    return bucket(index).scope() != Scope.CLUSTER;
  }

  private Bucket bucket(int index) {
    return draws.get(index).bucket();
  }

  private long units(int index) {
    return draws.get(index).units(cost);
  }

  private boolean all(IntPredicate condition) {
    return IntStream.range(0, states.length).allMatch(condition);
  }
}
