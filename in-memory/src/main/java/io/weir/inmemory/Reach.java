package io.weir.inmemory;

/**
 * How far a bucket may promise something to a request, and where there is room. {@code lua/lib/queue/view.lua} and {@code
 * find_place.lua} have the same.
 *
 * @param from when a place may begin
 * @param last the last bin that may be promised
 * @param isMine whether any bin may be promised to the request
 * @param isFree whether a place may be further away than the turn
 * @param isPacked whether places follow one another, and what is left over near them is for anybody
 */
record Reach(
    BucketView view,
    Headroom headroom,
    long from,
    long last,
    boolean isMine,
    boolean isFree,
    boolean isPacked) {

  static Reach of(BucketView view, boolean isWithinShare, boolean hasWaited, boolean wantsTicket) {
    boolean isMine = isWithinShare || (wantsTicket && view.isOpen());
    boolean isPacked = wantsTicket && view.hasNoGaps();
    return new Reach(
        view,
        headroom(view, isMine || isPacked),
        isMine ? view.now() : view.line().served,
        lastBin(view, isMine, isPacked),
        isMine,
        hasWaited || view.isShared(),
        isPacked && !isMine);
  }

  private static Headroom headroom(BucketView view, boolean isWhole) {
    long others = view.isShared() && !isWhole ? view.waiting() + 1 : 0;
    return new Headroom(view.needCalendar(), view.state().usedUnits(), view.now(), others);
  }

  // A key within its share finds a place behind the places of others, if they follow one another.
  private static long lastBin(BucketView view, boolean isMine, boolean isPacked) {
    Calendar of = view.needCalendar();
    long reach = of.bins.most() - of.lives;
    if (view.isShared()) {
      long shared = of.pace.sharedMicros() / of.width;
      reach = isPacked && !isMine ? 3 * reach / 8 : reach;
      reach = Math.min(view.hasNoGaps() && isMine ? 2 * shared : shared, reach);
    }
    return of.bin(view.now()) + reach;
  }

  Calendar calendar() {
    return view.needCalendar();
  }

  long startAt(long micros) {
    Calendar of = calendar();
    return Math.max(of.bin(Math.max(micros, from)), of.base());
  }

  /** Whether a place that is the only one may be there. */
  boolean isFreeAt(long micros) {
    return reaches(micros)
        && calendar().bin(micros) >= calendar().base()
        && (isMine || !view.isShared());
  }

  boolean reaches(long micros) {
    return calendar().bin(micros) <= last;
  }

  /** Whether a place may be held without it: in a shared bucket with room for which nobody else waits. */
  boolean canBeLeftOut() {
    return !view.isShared() || view.isOpen();
  }

  /** Whether a bin has room for so many costs, at the whole second of a caller without a ticket. */
  boolean hasRoom(long bin, long times) {
    return isPassed()
        ? headroom.first(view.neededQuanta(times), bin, bin) == bin
        : view.costQuanta() <= calendar().most() && headroom.in(bin) >= view.neededQuanta(times);
  }

  // A crowd of others would pass a key within its share for ever where places leave no gaps: it has
  // a place behind theirs.
  private boolean isPassed() {
    return isMine
        && view.hasNoGaps()
        && calendar().turn > view.now() + calendar().pace.sharedMicros();
  }

  /** How far it may promise to anybody what is left over, whatever share a key has had, if places follow one another. */
  Reach near() {
    long now = view.now();
    long nearest = Math.min(last, calendar().bin(now + view.need().micros()));
    return isPacked ? new Reach(view, headroom, now, nearest, isMine, isFree, isPacked) : this;
  }
}
