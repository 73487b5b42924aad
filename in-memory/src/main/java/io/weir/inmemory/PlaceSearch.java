package io.weir.inmemory;

import static io.weir.core.bucket.LeakyBucket.ceilDiv;
import static io.weir.core.slot.SlotLimits.SECONDS_TRIED;
import static io.weir.core.slot.SlotLimits.SECOND_US;

import io.weir.inmemory.Waiter.Moment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;

/**
 * Finds a place for a request in the calendars of its buckets. Lives for one charge. {@code
 * lua/lib/queue/find_place.lua} has the same.
 */
final class PlaceSearch {
  private static final int ROUNDS = 4;
  private static final int BINS_BEHIND_TURN = 2;

  private final long now;
  private final List<Reach> reaches = new ArrayList<>();

  /** A place that can be made: its instant, that of its bins, and how many costs they hold. */
  record Place(long slot, long due, long times, boolean isShared) {}

  /**
   * Looks at buckets.
   *
   * @param mine of which of them the request may have any bin
   * @param hasWaited whether it has waited for one of them
   */
  PlaceSearch(
      long now,
      List<BucketView> views,
      boolean[] mine,
      IntPredicate hasWaited,
      boolean wantsTicket) {
    this.now = now;
    for (int i = 0; i < mine.length; i++) {
      reaches.add(Reach.of(views.get(i), mine[i], hasWaited.test(i), wantsTicket));
    }
  }

  /** An instant with room in the buckets that hold it. */
  private record Instant(long at, List<Reach> holders, boolean isShared) {}

  /**
   * The first place with room in all buckets; in those of the key alone beyond what shared buckets promise. Empty if it
   * is further away than the turn, unless the request has waited.
   */
  Optional<Place> forTicket(long turn) {
    Optional<Place> alone = alone(1);
    return alone.isPresent() ? alone : soon().or(this::first).flatMap(first -> inBin(first, turn));
  }

  // An instant within the time of one cost, where places follow one another: it is left over.
  private Optional<Instant> soon() {
    if (reaches.stream().noneMatch(Reach::isPacked)) {
      return Optional.empty();
    }
    List<Reach> near = reaches.stream().map(Reach::near).toList();
    long at = firstIn(near, now);
    return at == 0 ? Optional.empty() : Optional.of(new Instant(at, near, true));
  }

  // While nothing is due in the buckets, the first instant, by whole steps, at which the levels let
  // the request pass;
  // empty if it is too far away. It may lie within a bin.
  private Optional<Place> alone(long step) {
    long wait = 1;
    for (Reach reach : reaches) {
      if (!reach.calendar().isEmpty()) {
        return Optional.empty();
      }
      wait = Math.max(wait, reach.view().levelWaitMicros());
    }
    long at = now + ceilDiv(wait, step) * step;
    boolean isInReach = reaches.stream().allMatch(reach -> reach.isFreeAt(at));
    return isInReach ? Optional.of(new Place(at, at, 1, true)) : Optional.empty();
  }

  // The first instant with room in all buckets; in those of the key alone if it is further away
  // than the shared buckets promise anything.
  private Optional<Instant> first() {
    long at = firstIn(reaches, now);
    return at > 0 ? Optional.of(new Instant(at, reaches, true)) : firstOfOwn();
  }

  // Empty if the calendar of a shared bucket covers the instant: then it has no room for the
  // request.
  private Optional<Instant> firstOfOwn() {
    List<Reach> own = reaches.stream().filter(reach -> !reach.view().isShared()).toList();
    boolean hasShared = own.size() < reaches.size();
    long at = hasShared && canLeaveOutShared() ? firstIn(own, now) : 0;
    return at == 0
            || reaches.stream().anyMatch(reach -> reach.view().isShared() && reach.reaches(at))
        ? Optional.empty()
        : Optional.of(new Instant(at, own, false));
  }

  private boolean canLeaveOutShared() {
    return reaches.stream().allMatch(Reach::canBeLeftOut);
  }

  private Optional<Place> inBin(Instant first, long turn) {
    boolean isShared = first.isShared();
    long slot = within(first.holders(), first.at());
    for (Reach reach : reaches) {
      long behind = BINS_BEHIND_TURN * reach.calendar().width;
      if (!reach.isFree() && slot > turn + behind) {
        return Optional.empty();
      }
    }
    return Optional.of(new Place(slot, slot, 1, isShared));
  }

  // 0 if there is none.
  private static long firstIn(List<Reach> reaches, long now) {
    long at = reaches.isEmpty() ? 0 : now + 1;
    for (int round = 0; round < ROUNDS && at > 0; round++) {
      long before = at;
      for (Reach reach : reaches) {
        long bin =
            reach.headroom().first(reach.view().neededQuanta(1), reach.startAt(at), reach.last());
        if (bin > reach.last()) {
          return 0;
        }
        at = Math.max(at, reach.calendar().startOf(bin));
      }
      if (at == before) {
        return at;
      }
    }
    return 0;
  }

  // Places of a bin come one after another, unless that leaves the bin of another bucket.
  private static long within(List<Reach> reaches, long at) {
    Calendar widest = reaches.get(0).calendar();
    for (Reach reach : reaches) {
      widest = reach.calendar().width > widest.width ? reach.calendar() : widest;
    }
    long bin = widest.bin(at);
    long later =
        Math.max(at, widest.startOf(bin) + Math.min(widest.width - 1, widest.drainMicros(bin)));
    for (Reach reach : reaches) {
      if (reach.calendar().bin(later) != reach.calendar().bin(at)) {
        return at;
      }
    }
    return later;
  }

  /**
   * The kind of a request.
   *
   * @param company how many strangers that make such requests are expected in a bin of a width
   */
  record Requests(LongUnaryOperator company, long markShared, long markOwn) {
    boolean isOf(Moment had, boolean isShared) {
      return had.isShared() == isShared && had.mark() == (isShared ? markShared : markOwn);
    }
  }

  /**
   * The first whole second from now until the turn with room for the request and for the strangers then. What shared
   * buckets do not hold is for the second of the turn: they would be full before it.
   */
  Optional<Place> atSecond(long turn, Waiter waiter, Requests kind) {
    long finest =
        reaches.stream().mapToLong(reach -> reach.calendar().width).min().orElseThrow();
    boolean isExact = isAny(BucketView::isHalf) || finest > SECOND_US;
    long times = isAny(BucketView::isAboveHalf) ? 1 : 1 + kind.company().applyAsLong(finest);
    Optional<Place> alone = isExact && waiter.hasRoomForMoment()
        ? alone(SECOND_US).filter(place -> waiter.at(place.due()).isEmpty())
        : Optional.empty();
    return alone.isPresent()
        ? alone
        : first().flatMap(first -> from(first.at(), turn, finest, times, waiter, kind));
  }

  private boolean isAny(Predicate<BucketView> is) {
    return reaches.stream().map(Reach::view).anyMatch(is);
  }

  private Optional<Place> from(
      long at, long turn, long finest, long most, Waiter waiter, Requests kind) {
    long first = now + wholeSeconds(at - now);
    long furthest =
        Math.min(first + (SECONDS_TRIED - 1) * SECOND_US, now + wholeSeconds(turn - now));
    for (long slot = first; slot <= furthest; slot += SECOND_US) {
      long due = slot / finest * finest;
      Optional<Moment> known = waiter.at(due);
      long times = known.isPresent() ? 1 : most;
      boolean canKeep = known.isPresent() || waiter.hasRoomForMoment();
      Optional<Boolean> isShared = canKeep ? roomAt(slot, due, times) : Optional.empty();
      if (isShared.isPresent()
          && (isShared.get() || slot + SECOND_US > turn)
          && known.map(had -> kind.isOf(had, isShared.get())).orElse(true)) {
        return Optional.of(new Place(slot, due, times, isShared.get()));
      }
    }
    return Optional.empty();
  }

  private static long wholeSeconds(long micros) {
    return ceilDiv(micros, SECOND_US) * SECOND_US;
  }

  // Whether the shared buckets hold it, too; empty if there is no room.
  private Optional<Boolean> roomAt(long slot, long due, long times) {
    boolean isShared = true;
    boolean isOwn = false;
    for (Reach reach : reaches) {
      isShared &= reach.reaches(due);
      isOwn |= !reach.view().isShared();
    }
    for (Reach reach : reaches) {
      Calendar of = reach.calendar();
      if (reach.view().holds(isShared)) {
        boolean hasRoom = reach.reaches(due)
            && of.bin(due) >= Math.max(of.base(), of.bin(now))
            && reach.hasRoom(of.bin(due), times)
            && reach.from() <= slot;
        if (!hasRoom) {
          return Optional.empty();
        }
      } else if (reach.reaches(due)) {
        return Optional.empty();
      }
    }
    return isShared || (isOwn && canLeaveOutShared()) ? Optional.of(isShared) : Optional.empty();
  }
}
