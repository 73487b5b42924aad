package io.weir.inmemory;

import static io.weir.core.slot.SlotLimits.LONGEST_US;
import static io.weir.core.slot.SlotLimits.PASSED_OVER;
import static io.weir.core.slot.SlotLimits.PUSHED;
import static io.weir.core.slot.SlotLimits.SECOND_US;
import static io.weir.core.slot.SlotLimits.TICKET_TURNS;
import static io.weir.core.slot.SlotLimits.TURNS;
import static io.weir.core.slot.SlotLimits.WHOLE;

import io.weir.core.slot.TicketRequest;

/**
 * When a request may try again at a bucket without room for it. Each one moves the turns on. {@code
 * lua/lib/queue/turns.lua} has the same.
 */
final class Turns {
  private final BucketView view;
  private final Calendar calendar;
  private final long now;
  private final long each;
  private final boolean wantsTicket;
  private final TicketRequest asked;

  private Turns(BucketView view, TicketRequest asked) {
    this.view = view;
    this.calendar = view.needCalendar();
    this.now = view.now();
    this.each = view.need().micros();
    this.wantsTicket = asked.wantsAlways();
    this.asked = asked;
  }

  /**
   * The turn of a request, and when it fits.
   *
   * @param turn how far away a place may be
   * @param fitsAt when the request fits if all others come as they were told
   * @param isBehind whether others come before a place for the request
   */
  record Turn(long turn, long fitsAt, boolean isBehind) {
    /** The turn of a request that fits at once. */
    static Turn at(long now) {
      return new Turn(now, now, false);
    }

    /** The turn of a request that needs room in another bucket, too. */
    Turn and(Turn other) {
      return new Turn(
          Math.max(turn, other.turn), Math.max(fitsAt, other.fitsAt), isBehind || other.isBehind);
    }
  }

  /**
   * A turn behind another one.
   *
   * @param last what is the last turn from then on
   */
  private record Next(long turn, long last) {}

  /**
   * Whether a request that has got its turn is within the share of its key, though that turn is ahead, in a bucket of one
   * operation. A caller without a ticket is new each time it asks, and each answer moves the turn of its key, also while
   * the key is served nothing: so its share is told by the times of others, which are far behind.
   */
  static boolean isPassedOver(BucketView view, TicketRequest asked) {
    long now = view.now();
    boolean isServed = view.waiting() == 1 || view.line().served > now;
    boolean isOfOne =
        2 * view.demand().unitsPerOperation() > view.demand().bucket().capacityUnits();
    if (asked.wantsAlways() || isServed || !isOfOne || !view.hasNoGaps()) {
      return false;
    }
    Calendar calendar = view.needCalendar();
    long ahead = Math.max(0, view.line().turn - now);
    return PASSED_OVER * ahead + calendar.pace.sharedMicros() < calendar.turn - now;
  }

  /** The next turn at a bucket. */
  static Turn next(BucketView view, boolean hasWaited, TicketRequest asked) {
    Turns turns = new Turns(view, asked);
    long from = turns.now + view.waitMicros();
    return hasWaited ? turns.again(from) : turns.own(from);
  }

  private Turn again(long from) {
    long next = Math.max(from, calendar.again) + each;
    calendar.again = Math.min(next, now + calendar.pace.sharedMicros());
    return new Turn(next, fitsAt(next), false);
  }

  // The turn among all; among those of its own line alone if others pushed it far back: whoever is
  // told a time before
  // others that were told theirs makes one of these come once more, and that one the next.
  private Turn own(long from) {
    boolean isMine = view.isShared() && view.isMine(false);
    long near = view.furthestMicros();
    long furthest = wantsTicket ? Math.max(near, furthestWithTicket()) : near;
    Next all = next(from, calendar.turn, wantsTicket ? each + idle() : each, furthest);
    calendar.turn = all.last();
    Next own = view.isShared() ? ownOfLine(from, furthest) : all;
    boolean isPushed =
        PUSHED * (own.turn() - now) + calendar.pace.sharedMicros() < all.turn() - now;
    long turn = isPushed ? own.turn() : all.turn();
    boolean isWithinShare = isMine || isPassedOver(view, asked);
    boolean isBehind = !isWithinShare && (calendar.again > now || (!isPushed && isOfOthers(turn)));
    long fitsAt = fitsAt(turn);
    return new Turn(
        turn, asked.wants(fitsAt - now) ? fitsAt : amongSeconds(fitsAt, turn, from), isBehind);
  }

  // Callers that wait whole seconds return in the part of a second in which they came. In a bucket
  // that has no place
  // a second ahead, those that come together would meet again: they get different seconds, none
  // behind their turns.
  private long amongSeconds(long fitsAt, long turn, long from) {
    if ((calendar.bins.most() - calendar.lives) * calendar.width >= SECOND_US) {
      return fitsAt;
    }
    long seconds = (fitsAt - now) / SECOND_US;
    long earlier = seconds - turn / each % (seconds + 1);
    return Math.max(from, fitsAt - earlier * SECOND_US);
  }

  private Next ownOfLine(long from, long furthest) {
    Line line = view.line();
    Next own = next(from, line.turn, view.need().micros(view.waiting()), furthest);
    line.turn = own.last();
    calendar.waiting.count(line, now);
    return own;
  }

  // Whether a turn in a shared bucket is behind times of other keys.
  private boolean isOfOthers(long turn) {
    return view.isShared() && !view.isAboveHalf() && turn > now + calendar.pace.sharedMicros();
  }

  // Each caller of a crowd has a turn of its own while promises are claimed.
  private long furthestWithTicket() {
    long turns = TICKET_TURNS * calendar.claims.parts() / WHOLE;
    return Math.min(TURNS * LONGEST_US, turns * each);
  }

  // If two such costs do not fit, far turns leave room for the bins between two places. Near turns
  // of the only key leave room for a caller that comes late, unless the bucket has it beside the
  // cost: else each one makes the next one miss its turn.
  private long idle() {
    if (calendar.bins.areWide() || !view.isAboveHalf()) {
      return 0;
    } else if (calendar.turn > now + TURNS * each) {
      return 2L * calendar.lives * calendar.width;
    }
    return view.isShared() ? 0 : Math.max(0, calendar.width - view.besideMicros());
  }

  // Turns further away than the furthest begin again half as far ahead: no two are the same. If
  // those of callers with
  // tickets are further away, they stay, and a caller without one gets the turns of that half one
  // after another.
  private Next next(long from, long last, long step, long furthest) {
    long half = furthest / 2;
    long begin = Math.max(from, now + half);
    if (last > now + furthest && !wantsTicket) {
      return new Next(begin + step * (1 + last % Math.max(1, half / step)), last + 1);
    }
    long next = Math.max(from, last) + step;
    long turn = next > now + furthest ? begin + step : next;
    return new Next(turn, turn);
  }

  // Sooner by its own cost if nobody has a place. In a bucket of few operations the turn before it
  // is over by then; for
  // a caller with a ticket also if the holder of a place comes late. Never before there is room
  // beside what is due.
  private long fitsAt(long turn) {
    if (view.wasPlain()) {
      return turn - each;
    }
    if (calendar.bins.areWide()) {
      return turn;
    }
    long late = wantsTicket ? (calendar.lives + 1) * calendar.width : 0;
    return Math.min(turn, Math.max(turn - each + late, now + view.newcomerWaitMicros()));
  }
}
