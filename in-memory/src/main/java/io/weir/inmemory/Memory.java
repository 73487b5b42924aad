package io.weir.inmemory;

import io.weir.core.bucket.Scope;
import io.weir.core.kind.Hold;
import io.weir.core.kind.Permits;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Held;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The memory of a store, by owner: each key, each tenant and the cluster. Empty states are forgotten now and then.
 * Mutable; owned by its store.
 */
final class Memory {
  private static final int FIRST_SWEEP = 1024;
  // A clock that goes back still finds the states that are not older, and lost places are counted.
  private static final long KEPT_US = 24 * Permits.KEPT_US;
  /** How long the end of a reservation is known. */
  static final long ENDS_KEPT_US = 600_000_000;

  private final Map<Object, State> states = new HashMap<>();
  private final Map<Object, Map<String, Counter>> counters = new HashMap<>();
  private final Map<Object, Map<Holder, Long>> permits = new HashMap<>();
  private final Map<List<String>, Holding> reservations = new HashMap<>();
  private int sweepAt = FIRST_SWEEP;
  private long sweptRevision;

  /**
   * A reservation, and how it ended.
   *
   * @param asked identifies the content of the request
   * @param forgottenMicros the time when the end is forgotten
   */
  record Holding(
      Held held,
      String asked,
      Reservation reservation,
      Optional<Ended> ended,
      long forgottenMicros) {}

  /** The holder of a permit: keys may choose the same ids. */
  record Holder(String tenant, String subject, String id) {}

  /** The owner of the buckets of a scope. */
  static Object owner(Charge charge, Scope scope) {
    return owner(charge.tenant(), charge.subject(), scope);
  }

  static Object owner(String tenant, String subject, Scope scope) {
    return switch (scope) {
      case KEY -> List.of(tenant, subject);
      case TENANT -> List.of(tenant);
      case CLUSTER -> List.of();
    };
  }

  /** The counter of a limit of another kind than a rate. */
  Counter counter(Object owner, String limit, long nowMicros) {
    return counters
        .getOrDefault(owner, Map.of())
        .getOrDefault(limit, Counter.NONE)
        .at(nowMicros);
  }

  /** Stores a counter; if it has changed, expired counters of the owner are removed. */
  void put(Object owner, String limit, Counter counter, long nowMicros) {
    if (counter.equals(counter(owner, limit, nowMicros))) {
      return;
    }
    Map<String, Counter> all = counters.computeIfAbsent(owner, any -> new HashMap<>());
    all.put(limit, counter);
    all.values().removeIf(other -> other.untilMicros() <= nowMicros);
  }

  /** The number of permits held. */
  long held(Object owner, String limit, long nowMicros) {
    return permits.getOrDefault(List.of(owner, limit), Map.of()).values().stream()
        .filter(until -> until > nowMicros)
        .count();
  }

  void hold(Object owner, String limit, Holder holder, long untilMicros) {
    permits.computeIfAbsent(List.of(owner, limit), any -> new HashMap<>()).put(holder, untilMicros);
  }

  /** Frees a permit; false if it is not held. */
  boolean release(Object owner, String limit, Holder holder, long nowMicros) {
    Long until = permits.getOrDefault(List.of(owner, limit), new HashMap<>()).remove(holder);
    return until != null && until > nowMicros;
  }

  /** Renews a permit; false if it is not held. */
  boolean renew(Object owner, String limit, Holder holder, long nowMicros, long untilMicros) {
    Map<Holder, Long> all = permits.getOrDefault(List.of(owner, limit), new HashMap<>());
    boolean isHeld = all.getOrDefault(holder, 0L) > nowMicros;
    if (isHeld) {
      all.put(holder, untilMicros);
    }
    return isHeld;
  }

  /** Removes the expired permits of a limit. */
  void forgetExpired(Object owner, String limit, long nowMicros) {
    permits
        .getOrDefault(List.of(owner, limit), new HashMap<>())
        .values()
        .removeIf(until -> until <= nowMicros);
  }

  /** A reservation that is open, or whose end is still known. */
  Optional<Holding> reservation(String tenant, String subject, String id, long nowMicros) {
    return Optional.ofNullable(reservations.get(List.of(tenant, subject, id)))
        .filter(holding -> holding.forgottenMicros() > nowMicros);
  }

  void reserve(Charge charge, Hold hold, Reservation reservation) {
    Held held = Held.of(charge, hold);
    reservations.put(
        List.of(charge.tenant(), charge.subject(), hold.id()),
        new Holding(held, hold.asked(), reservation, Optional.empty(), Long.MAX_VALUE));
  }

  void end(Held held, Ended ended, long nowMicros) {
    reservations.computeIfPresent(
        List.of(held.tenant(), held.subject(), held.id()),
        (id, open) -> new Holding(
            open.held(),
            open.asked(),
            open.reservation(),
            Optional.of(ended),
            nowMicros + ENDS_KEPT_US));
  }

  /** Renews a reservation; false if nothing is reserved. */
  boolean renew(Held held, long nowMicros) {
    List<String> id = List.of(held.tenant(), held.subject(), held.id());
    Holding open = reservations.get(id);
    if (open == null
        || open.ended().isPresent()
        || open.reservation().expiresMicros() <= nowMicros) {
      return false;
    }
    Reservation later = open.reservation().until(nowMicros + held.leaseMicros());
    reservations.put(
        id, new Holding(open.held(), open.asked(), later, Optional.empty(), Long.MAX_VALUE));
    return true;
  }

  /** Reservations whose time is over, the earliest first. */
  List<Held> due(long nowMicros, int most) {
    return reservations.values().stream()
        .filter(open -> open.ended().isEmpty())
        .filter(open -> open.reservation().expiresMicros() <= nowMicros)
        .sorted(Comparator.comparingLong((Holding open) -> open.reservation().expiresMicros())
            .thenComparing(open -> open.held().tenant())
            .thenComparing(open -> open.held().subject())
            .thenComparing(open -> open.held().id()))
        .limit(most)
        .map(Holding::held)
        .toList();
  }

  State state(Object owner) {
    return states.getOrDefault(owner, new State(sweptRevision));
  }

  void put(Object owner, State state) {
    states.put(owner, state);
  }

  /** Removes empty states whenever the number of states has doubled: they are equivalent to absent ones. */
  void sweep(long nowMicros) {
    if (size() < sweepAt) {
      return;
    }
    long before = nowMicros - KEPT_US;
    states.entrySet().removeIf(entry -> isForgotten(entry.getValue(), nowMicros - Permits.KEPT_US));
    counters
        .values()
        .removeIf(all -> all.values().stream().allMatch(one -> one.untilMicros() <= nowMicros));
    permits.values().forEach(all -> all.values().removeIf(until -> until <= before));
    permits.values().removeIf(Map::isEmpty);
    reservations.values().removeIf(open -> open.forgottenMicros() <= before);
    sweepAt = Math.max(FIRST_SWEEP, size() * 2);
  }

  private int size() {
    return states.size() + counters.size() + permits.size() + reservations.size();
  }

  private boolean isForgotten(State state, long nowMicros) {
    boolean isEmpty = state.isEmpty(nowMicros);
    if (isEmpty) {
      // The revision is forgotten with the state, but an older revision must still not decide.
      sweptRevision = Math.max(sweptRevision, state.revision());
    }
    return isEmpty;
  }
}
