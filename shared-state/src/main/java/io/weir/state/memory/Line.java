package io.weir.state.memory;

import io.weir.slot.Appointment;
import io.weir.slot.Appointment.Share;
import io.weir.slot.SlotLimits;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** The open places of one subject or tenant. Mutable; owned by its store. */
final class Line {
  private final TreeSet<Appointment> places = new TreeSet<>(Appointment.BY_DEADLINE);
  private final Map<List<Share>, TreeSet<Appointment>> anybodys = new HashMap<>();

  int size() {
    return places.size();
  }

  void add(Appointment place) {
    places.add(place);
    if (place.isForAnybody()) {
      anybodys
          .computeIfAbsent(place.kind(), kind -> new TreeSet<>(Appointment.BY_DEADLINE))
          .add(place);
    }
  }

  void remove(Appointment place) {
    places.remove(place);
    if (place.isForAnybody()) {
      anybodys.computeIfPresent(place.kind(), (kind, some) -> {
        some.remove(place);
        return some.isEmpty() ? null : some;
      });
    }
  }

  boolean contains(Appointment place) {
    return places.contains(place);
  }

  /** Whether the time of all is over. */
  boolean isOver(long nowMicros) {
    return places.isEmpty() || places.last().deadlineMicros() < nowMicros;
  }

  /** The first whose time is over, a few of them, in the order in which it was. */
  List<Appointment> overdue(long nowMicros) {
    return places.stream()
        .takeWhile(place -> place.deadlineMicros() < nowMicros)
        .limit(SlotLimits.SWEPT_AT_MOST)
        .toList();
  }

  /** The place of a ticket that is in time. */
  Optional<Appointment> byTicket(String ticket, long nowMicros) {
    long deadline = Long.parseLong(ticket.substring(0, 16));
    String id = ticket.substring(17);
    Appointment before = new Appointment(id, Long.MIN_VALUE, deadline, 0, List.of());
    return Optional.ofNullable(places.ceiling(before))
        .filter(found -> found.deadlineMicros() == deadline && found.id().equals(id))
        .filter(found -> deadline >= nowMicros);
  }

  /** The first place in time that anybody may keep who asks for just that, where its slot has come. */
  Optional<Appointment> due(long nowMicros, List<Share> kind) {
    Appointment now = new Appointment(Appointment.ANYBODY, Long.MIN_VALUE, nowMicros, 0, List.of());
    return Optional.ofNullable(anybodys.get(kind))
        .map(places -> places.ceiling(now))
        .filter(place -> place.slotMicros() <= nowMicros);
  }
}
