package io.weir.inmemory;

import static io.weir.core.slot.SlotLimits.PUSHED;

/**
 * When a request may try again at a bucket without room for it. Each one moves the turns on. {@code
 * lua/lib/queue/turns.lua} has the same.
 */
final class Turns {
  private final BucketView view;
  private final Calendar calendar;
  private final long now;
  private final long each;

  private Turns(BucketView view) {
    this.view = view;
    this.calendar = view.needCalendar();
    this.now = view.now();
    this.each = view.need().micros();
  }

  /**
   * The turn of a request, and when it fits.
   *
   * @param turn how far away a place may be
   * @param fitsAt when the request fits if all others come as they were told
   */
  record Turn(long turn, long fitsAt) {}

  /** The next turn at a bucket. */
  static Turn next(BucketView view, boolean hasWaited, boolean wantsTicket) {
    Turns turns = new Turns(view);
    long from = turns.now + view.waitMicros();
    long turn = hasWaited ? turns.again(from) : turns.own(from);
    return new Turn(turn, turns.fitsAt(turn, wantsTicket));
  }

  private long again(long from) {
    long next = Math.max(from, calendar.again) + each;
    calendar.again = Math.min(next, now + calendar.pace.sharedMicros());
    return next;
  }

  // The turn among all; among those of its own line alone if others pushed it far back: whoever is
  // told a time before
  // others that were told theirs makes one of these come once more, and that one the next.
  private long own(long from) {
    calendar.turn = movedOn(from, calendar.turn, each);
    if (!view.isShared()) {
      return calendar.turn;
    }
    Line line = view.line();
    line.turn = movedOn(from, line.turn, view.need().micros(view.waiting()));
    calendar.waiting.count(line, now);
    boolean isPushed =
        PUSHED * (line.turn - now) + calendar.pace.sharedMicros() < calendar.turn - now;
    return isPushed ? line.turn : calendar.turn;
  }

  // Turns further away than the furthest begin again half as far ahead: no two are the same.
  private long movedOn(long from, long last, long step) {
    long furthest = view.need().furthestMicros(calendar);
    long next = Math.max(from, last) + step;
    return next > now + furthest ? Math.max(from, now + furthest / 2) + step : next;
  }

  // Sooner by its own cost if nobody has a place. In a bucket of few operations the turn before it
  // is over by then; for
  // a caller with a ticket also if the holder of a place comes late. Never before there is room
  // beside what is due.
  private long fitsAt(long turn, boolean wantsTicket) {
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
