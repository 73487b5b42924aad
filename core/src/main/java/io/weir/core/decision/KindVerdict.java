package io.weir.core.decision;

import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.Kind;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Combines the decision on the rates and the standings of limits of other kinds into one decision.
 *
 * @param demands on limits of other kinds than rates
 * @param standings the standing of each of them
 * @param cost in operations, as it is charged
 * @param paidBy the buckets that paid instead of another one
 */
public record KindVerdict(
    List<KindDemand> demands, List<Standing> standings, long cost, List<String> paidBy) {

  public KindVerdict {
    demands = List.copyOf(demands);
    standings = List.copyOf(standings);
    paidBy = List.copyOf(paidBy);
  }

  /** Whether any of the limits has no room. */
  public boolean isFull() {
    return standings.stream().anyMatch(standing -> !standing.hasRoom());
  }

  /** Whether any of the limits never has room. */
  public boolean isNever() {
    return standings.stream().anyMatch(Standing::isNever);
  }

  /** The longest wait of the limits without room; 0 if all have room. */
  public long waitMicros() {
    return standings.stream()
        .mapToLong(standing -> Math.max(0, standing.waitMicros()))
        .max()
        .orElse(0);
  }

  /** The verdict {@code micros} later, if only time has passed. */
  public KindVerdict later(long micros) {
    List<Standing> later =
        standings.stream().map(standing -> standing.later(micros)).toList();
    return new KindVerdict(demands, later, cost, paidBy);
  }

  /** The decision if these limits have room, so that the rates decide. */
  public Decision with(Decision ofRates) {
    return ofRates.fold(
        allowed -> new Allowed(
            allowed.revision(),
            all(allowed.limits(), true),
            allowed.degraded(),
            remarks(paidBy, true)),
        denied -> new Denied(
            denied.revision(),
            all(denied.limits(), false),
            denied.full(),
            denied.retryAfterMicros(),
            denied.estimate(),
            denied.ticket(),
            denied.degraded(),
            remarks(List.of(), false)),
        never -> new NeverAllowed(
            never.revision(), all(never.limits(), false), never.full(), never.reason()));
  }

  /**
   * The decision if one of these limits has no room.
   *
   * @param ofRates the standings of the buckets
   * @param waitMicros until the last limit has room; an estimate
   * @param ticket the ticket that the caller showed; it keeps it
   */
  public Decision denied(Decision ofRates, long waitMicros, Optional<String> ticket) {
    List<String> full =
        Stream.concat(fullOf(ofRates).stream(), select(each -> !each.hasRoom())).toList();
    return new Denied(
        ofRates.revision(),
        all(ofRates.limits(), false),
        full,
        waitMicros,
        true,
        ticket,
        false,
        remarks(List.of(), false));
  }

  /** The decision if one of the limits never has room. */
  public Decision never(NeverAllowed ofRates) {
    return new NeverAllowed(
        ofRates.revision(),
        all(ofRates.limits(), false),
        Stream.concat(ofRates.full().stream(), select(Standing::isNever)).toList(),
        ofRates.reason());
  }

  private static List<String> fullOf(Decision decision) {
    return decision.fold(allowed -> List.of(), Denied::full, NeverAllowed::full);
  }

  private Stream<String> select(Predicate<Standing> which) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < standings.size(); i++) {
      if (which.test(standings.get(i))) {
        names.add(demands.get(i).name());
      }
    }
    return names.stream();
  }

  private List<Limit> all(List<Limit> rates, boolean isTaken) {
    List<Limit> all = new ArrayList<>(rates);
    for (int i = 0; i < standings.size(); i++) {
      KindDemand demand = demands.get(i);
      if (demand.kind() != Kind.CONGESTION) {
        Standing standing = standings.get(i);
        boolean isPaid = isTaken && standing.isCharged();
        all.add(Limit.of(demand, standing, isPaid ? demand.counted(cost) : 0));
      }
    }
    return all;
  }

  private Remarks remarks(List<String> paid, boolean isAllowed) {
    long multiplier = Congestion.ONE;
    List<String> near = new ArrayList<>();
    List<String> paying = new ArrayList<>(paid);
    for (int i = 0; i < standings.size(); i++) {
      if (demands.get(i).kind() == Kind.CONGESTION) {
        multiplier = Math.max(multiplier, standings.get(i).used());
      } else if (standings.get(i).near()) {
        near.add(demands.get(i).name());
      }
      if (isAllowed && demands.get(i).overflow() && standings.get(i).isCharged()) {
        paying.add(demands.get(i).name());
      }
    }
    return multiplier == Congestion.ONE && paying.isEmpty() && near.isEmpty()
        ? Remarks.NONE
        : new Remarks(multiplier, paying, near);
  }
}
