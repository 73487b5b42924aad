package io.weir.inmemory;

import static io.weir.core.slot.SlotLimits.MAX_UNITS;

import io.weir.inmemory.PlaceSearch.Place;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * The buckets of one request, which hold its place together; those of the key alone if the shared ones do not hold it.
 */
final class RequestBuckets {
  private static final long ERA_FACTOR = 31;
  private static final long MARKS = 1L << 32;

  private final List<BucketView> views;
  private final long cost;
  private final long kind;

  /** @param views in the order of the demands */
  RequestBuckets(List<BucketView> views, long cost) {
    this.views = views;
    this.cost = cost;
    this.kind = Ticket.kind(views.stream().map(BucketView::demand).toList());
  }

  /** Stands for the demands. */
  long kind() {
    return kind;
  }

  /** Stands for the demands and the calendars that hold a place. */
  long mark(boolean isShared) {
    long mark = kind;
    for (BucketView view : views) {
      if (view.holds(isShared)) {
        long era = view.maybeCalendar().map(of -> of.era).orElse(0L);
        mark = (mark * ERA_FACTOR + era) % MARKS;
      }
    }
    return mark;
  }

  /**
   * The same of a moment. It is for one cost if a demand counts requests: a moment counts operations, and what it keeps
   * of such a bucket is not a part for each of them.
   */
  long dueMark(boolean isShared) {
    long mark = mark(isShared);
    return views.stream().anyMatch(view -> view.demand().perRequest())
        ? (mark * ERA_FACTOR + cost % MARKS) % MARKS
        : mark;
  }

  private Stream<BucketView> holding(boolean isShared) {
    return views.stream().filter(view -> view.holds(isShared));
  }

  /** Whether all of them have room for a newcomer; each takes note of it. */
  boolean haveRoom() {
    boolean all = true;
    for (BucketView view : views) {
      all &= view.hasRoom();
    }
    return all;
  }

  /** Which of them had no room. */
  List<Boolean> refused() {
    return views.stream().map(BucketView::isRefused).toList();
  }

  /** Whether somebody waits in one of them. */
  boolean haveQueue() {
    return views.stream().anyMatch(view -> view.maybeCalendar().isPresent());
  }

  boolean areAlive(long at, boolean isShared) {
    return holding(isShared).allMatch(view -> view.isAlive(at));
  }

  void giveBack(long at, boolean isShared, boolean isEarly) {
    holding(isShared).forEach(view -> view.giveBack(at, isEarly));
  }

  void restore(boolean isShared) {
    holding(isShared).forEach(BucketView::restore);
  }

  /** Holds a place in its bins; returns when the last of them is over. */
  long hold(Place place, boolean wantsTicket) {
    return holding(place.isShared())
        .mapToLong(view -> view.hold(place.due(), place.times(), wantsTicket))
        .max()
        .orElse(0);
  }

  /** The longest of a time of them. */
  long longest(ToLongFunction<BucketView> time) {
    return views.stream().mapToLong(time).max().orElse(0);
  }

  /** The operations of such requests that drain in a second, for one of those that wait. */
  long drained() {
    long least = views.stream()
        .mapToLong(view -> view.need().perSecond(view.waiting()))
        .min()
        .orElse(0);
    return least > MAX_UNITS / cost ? MAX_UNITS : least * cost;
  }
}
