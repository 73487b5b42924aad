package io.weir.state.memory;

import io.weir.slot.Appointment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The open appointments of one subject or tenant. Mutable; owned by its store. */
final class Line {
  /** How many places without a ticket are looked at for one of the same kind. */
  private static final int LOOKED_AT = 256;

  /** How many are let go at once, unless they are all. */
  private static final int SWEPT_AT_MOST = 256;

  private final TreeSet<Appointment> tickets = new TreeSet<>(Appointment.BY_DEADLINE);
  private final TreeSet<Appointment> anybodys = new TreeSet<>(Appointment.BY_DEADLINE);
  private final TreeSet<Appointment> gaps = new TreeSet<>(Appointment.BY_DEADLINE);

  int size() {
    return all().mapToInt(Set::size).sum();
  }

  void add(Appointment place) {
    set(place).add(place);
  }

  void remove(Appointment place) {
    set(place).remove(place);
  }

  boolean contains(Appointment place) {
    return set(place).contains(place);
  }

  /** Whether the time of all is over. */
  boolean isOver(long nowMicros) {
    return all().allMatch(set -> set.isEmpty() || set.last().deadlineMicros() < nowMicros);
  }

  /** The first whose time is over, or all of them where nobody else waits, in the order in which it was. */
  List<Appointment> expired(long nowMicros) {
    long most = isOver(nowMicros) ? Long.MAX_VALUE : SWEPT_AT_MOST;
    return all()
        .flatMap(set ->
            set.stream().takeWhile(place -> place.deadlineMicros() < nowMicros).limit(most))
        .sorted(Appointment.BY_DEADLINE)
        .limit(most)
        .toList();
  }

  Optional<Appointment> byTicket(String ticket, long nowMicros) {
    long deadline = Long.parseLong(ticket.substring(0, 16));
    String id = ticket.substring(17);
    Appointment before = new Appointment(id, Long.MIN_VALUE, deadline, 0, List.of());
    return Optional.ofNullable(tickets.ceiling(before))
        .filter(found -> found.deadlineMicros() == deadline && found.id().equals(id))
        .filter(found -> deadline >= nowMicros);
  }

  /**
   * A place whose slot has come, that anybody may keep who asks for just that. Where the first in time is not
   * due, nobody is.
   */
  Optional<Appointment> due(long nowMicros, Predicate<Appointment> isMine) {
    List<Appointment> inTime = anybodys.stream()
        .filter(place -> place.deadlineMicros() >= nowMicros)
        .limit(LOOKED_AT)
        .toList();
    return inTime.isEmpty() || inTime.get(0).slotMicros() > nowMicros
        ? Optional.empty()
        : inTime.stream()
            .filter(place -> place.slotMicros() <= nowMicros)
            .filter(isMine)
            .findFirst();
  }

  private Stream<SortedSet<Appointment>> all() {
    return Stream.of(tickets, anybodys, gaps);
  }

  private Set<Appointment> set(Appointment place) {
    return place.isForAnybody() ? anybodys : place.isForNobody() ? gaps : tickets;
  }
}
