package io.weir.inmemory;

import static io.weir.core.slot.SlotLimits.MAX_UNITS;
import static io.weir.core.slot.SlotLimits.MOMENTS;
import static io.weir.core.slot.SlotLimits.SECOND_US;
import static io.weir.core.slot.SlotLimits.SLICE_US;
import static io.weir.core.slot.SlotLimits.TICKETS;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The state that a key keeps for its waiting callers: the secret and the unused tickets, and for callers without
 * tickets the moments at which they are to return. Mutable; owned by the key's state. {@code lua/lib/queue/waiter.lua}
 * has the same.
 */
final class Waiter {
  private static final long HALF = TICKETS / 2;
  private static final long IN_A_SECOND = SECOND_US / SLICE_US;
  private static final int KINDS = 4;

  private String secret = "";
  private final BitSet unused = new BitSet((int) TICKETS);
  private long number;

  /** By half of the numbers, until when a ticket of it may be open. */
  private final long[] openUntil = new long[2];

  private long needed;

  private long slice;

  /** By kind of request, the one that was asked for last at the end. */
  private final Map<Long, Strangers> strangers = new LinkedHashMap<>(2 * KINDS, 0.75f, true);

  private final TreeMap<Long, Moment> moments = new TreeMap<>();

  /**
   * Operations that are due at an instant, whoever asks for them.
   *
   * @param mark stands for the demands and the calendars that hold them
   * @param isShared whether buckets of the tenant and of the cluster hold them, too
   * @param until when the last bin that holds them is over
   */
  record Moment(long at, long operations, long mark, boolean isShared, long until) {}

  Waiter copy() {
    Waiter copy = new Waiter();
    copy.secret = secret;
    copy.unused.or(unused);
    copy.number = number;
    copy.openUntil[0] = openUntil[0];
    copy.openUntil[1] = openUntil[1];
    copy.needed = needed;
    copy.slice = slice;
    strangers.forEach((kind, of) -> copy.strangers.put(kind, of.copy()));
    copy.moments.putAll(moments);
    return copy;
  }

  boolean isOver(long now) {
    return needed < now && slice / IN_A_SECOND + 2 <= now / SECOND_US;
  }

  String secret() {
    return secret;
  }

  boolean isUnused(long ticket) {
    return unused.get((int) (ticket % TICKETS));
  }

  void use(long ticket) {
    unused.clear((int) (ticket % TICKETS));
  }

  /** Whether one more ticket may be made: the tickets that had its number are over. */
  boolean hasNumber(long now) {
    long next = number + 1;
    return next % HALF != 0 || openUntil[halfOf(next)] <= now;
  }

  private static int halfOf(long number) {
    return (int) (number % TICKETS / HALF);
  }

  /** Makes the number of a ticket that holds a place until then. */
  long nextNumber(long until) {
    number++;
    unused.set((int) (number % TICKETS));
    openUntil[halfOf(number)] = Math.max(openUntil[halfOf(number)], until);
    return number;
  }

  /** The secret for a ticket that is good until then. */
  String secretFor(String fresh, long until) {
    secret = secret.isEmpty() ? fresh : secret;
    needed = Math.max(needed, until);
    return secret;
  }

  /**
   * The callers without tickets of a kind of request.
   *
   * @param kind stands for the demands
   * @param drained the operations that drain in a second: as many are expected until they are counted
   */
  Strangers strangers(long kind, long now, long drained) {
    Strangers known = strangers.get(kind);
    if (known != null) {
      return known;
    }
    if (strangers.size() == KINDS) {
      strangers.remove(strangers.keySet().iterator().next());
    }
    Strangers made = new Strangers(now, drained);
    strangers.put(kind, made);
    return made;
  }

  /**
   * Counts a caller without a ticket, and forgets moments that are over.
   *
   * @param furthest how far ahead a moment may be, in microseconds
   */
  void note(Strangers of, long now, long cost, long furthest) {
    slice = now / SLICE_US;
    of.ask(now, cost);
    moments.values().removeIf(moment -> moment.until() <= now || moment.at() > now + furthest);
  }

  /** The first moment that is due with enough operations of this kind. */
  Optional<Moment> due(long now, long cost, long markShared, long markOwn) {
    return moments.headMap(now, true).values().stream()
        .filter(moment -> moment.mark() == (moment.isShared() ? markShared : markOwn))
        .filter(moment -> moment.operations() >= cost)
        .findFirst();
  }

  void claim(Moment moment, long cost) {
    long left = moment.operations() - cost;
    if (left == 0) {
      moments.remove(moment.at());
    } else {
      moments.put(
          moment.at(),
          new Moment(moment.at(), left, moment.mark(), moment.isShared(), moment.until()));
    }
  }

  Optional<Moment> at(long moment) {
    return Optional.ofNullable(moments.get(moment));
  }

  boolean hasRoomForMoment() {
    return moments.size() < MOMENTS;
  }

  /** Keeps a moment, with the operations that are kept at it already. */
  void keep(Moment moment) {
    long had = at(moment.at()).map(Moment::operations).orElse(0L);
    long all = Math.min(MAX_UNITS, had + moment.operations());
    moments.put(
        moment.at(),
        new Moment(moment.at(), all, moment.mark(), moment.isShared(), moment.until()));
    needed = Math.max(needed, moment.until());
  }
}
