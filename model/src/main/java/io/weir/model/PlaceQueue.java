package io.weir.model;

import io.weir.core.slot.SlotLimits;
import io.weir.model.Place.Share;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** The open places of one subject or tenant. Mutable; owned by its store. */
final class PlaceQueue {
  private final TreeSet<Place> places = new TreeSet<>(Place.BY_DEADLINE);
  private final Map<List<Share>, TreeSet<Place>> anybodys = new HashMap<>();

  int size() {
    return places.size();
  }

  void add(Place place) {
    places.add(place);
    if (place.isForAnybody()) {
      anybodys
          .computeIfAbsent(place.kind(), kind -> new TreeSet<>(Place.BY_DEADLINE))
          .add(place);
    }
  }

  void remove(Place place) {
    places.remove(place);
    if (place.isForAnybody()) {
      anybodys.computeIfPresent(place.kind(), (kind, some) -> {
        some.remove(place);
        return some.isEmpty() ? null : some;
      });
    }
  }

  boolean contains(Place place) {
    return places.contains(place);
  }

  /** Whether all places are overdue. */
  boolean isOver(long nowMicros) {
    return places.isEmpty() || places.last().deadlineMicros() < nowMicros;
  }

  /** The first overdue places, at most {@link SlotLimits#SWEPT_AT_MOST}, by deadline. */
  List<Place> overdue(long nowMicros) {
    return places.stream()
        .takeWhile(place -> place.deadlineMicros() < nowMicros)
        .limit(SlotLimits.SWEPT_AT_MOST)
        .toList();
  }

  /** The place of a ticket, if it is not overdue. */
  Optional<Place> byTicket(String ticket, long nowMicros) {
    long deadline = Long.parseLong(ticket.substring(0, 16));
    String id = ticket.substring(17);
    Place before = new Place(id, Long.MIN_VALUE, deadline, 0, List.of());
    return Optional.ofNullable(places.ceiling(before))
        .filter(found -> found.deadlineMicros() == deadline && found.id().equals(id))
        .filter(found -> deadline >= nowMicros);
  }

  /** The first place without a ticket for exactly this request, if its slot has come. */
  Optional<Place> due(long nowMicros, List<Share> kind) {
    Place now = new Place(Place.ANYBODY, Long.MIN_VALUE, nowMicros, 0, List.of());
    return Optional.ofNullable(anybodys.get(kind))
        .map(places -> places.ceiling(now))
        .filter(place -> place.slotMicros() <= nowMicros);
  }
}
