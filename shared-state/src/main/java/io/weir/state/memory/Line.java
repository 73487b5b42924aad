package io.weir.state.memory;

import io.weir.slot.Appointment;
import io.weir.slot.Appointment.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The open appointments of one subject or tenant. Mutable; owned by its store. */
final class Line {
  /** How many places without a ticket are looked at for one of the same kind. */
  private static final int LOOKED_AT = 16;

  private final TreeSet<Appointment> tickets = new TreeSet<>(Appointment.BY_DEADLINE);
  private final TreeSet<Appointment> anybodys = new TreeSet<>(Appointment.BY_DEADLINE);

  int size() {
    return tickets.size() + anybodys.size();
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

  /** Those whose time is over, in the order in which it was. */
  List<Appointment> expired(long nowMicros) {
    List<Appointment> expired = new ArrayList<>();
    Stream.of(tickets, anybodys)
        .forEach(set -> set.stream()
            .takeWhile(place -> place.deadlineMicros() < nowMicros)
            .forEach(expired::add));
    expired.sort(Appointment.BY_DEADLINE);
    return expired;
  }

  Optional<Appointment> byTicket(String ticket) {
    long deadline = Long.parseLong(ticket.substring(0, 16));
    String id = ticket.substring(17);
    Appointment before = new Appointment(id, Long.MIN_VALUE, deadline, 0, List.of());
    return Optional.ofNullable(tickets.ceiling(before))
        .filter(found -> found.deadlineMicros() == deadline && found.id().equals(id));
  }

  /** A place whose slot has come, that anybody may keep who asks for the same. */
  Optional<Appointment> due(long nowMicros, List<Share> shares) {
    return anybodys.stream()
        .limit(LOOKED_AT)
        .filter(place -> place.slotMicros() <= nowMicros && place.isFor(shares))
        .findFirst();
  }

  private SortedSet<Appointment> set(Appointment place) {
    return place.isForAnybody() ? anybodys : tickets;
  }
}
