package io.weir.inmemory;

import static io.weir.core.bucket.LeakyBucket.ceilDiv;

/**
 * How much may be promised in each bin of a calendar: what can be paid when it is due, and what the bucket can store if
 * nobody comes before. Immutable. {@code lua/lib/queue/headroom.lua} has the same.
 */
final class Headroom {
  private final Calendar calendar;
  private final long now;
  private final long free;
  private final long others;
  private final long[] known;
  private final long all;
  private final long stored;

  /**
   * Looks at a calendar.
   *
   * @param level the units used of the bucket
   * @param others of what drains until a bin, one part of so many is kept for others; 0 for nothing
   */
  Headroom(Calendar calendar, long level, long now, long others) {
    this.calendar = calendar;
    this.now = now;
    this.free = calendar.room(level);
    this.others = others;
    int bins = (int) (calendar.end() - calendar.base());
    long[] idle = new long[bins];
    long[] store = new long[bins];
    long stands = 0;
    long sum = 0;
    for (int i = 0; i < bins; i++) {
      long due = calendar.dueIn(calendar.base() + i);
      long over = stands + due - calendar.step();
      stands = Math.max(0, over);
      idle[i] = Math.max(0, -over);
      store[i] = calendar.most() - stands;
      sum += due;
    }
    this.all = sum;
    this.stored = stands;
    this.known = new long[bins];
    long low = Long.MAX_VALUE;
    long room = Long.MAX_VALUE;
    long total = sum;
    for (int i = bins - 1; i >= 0; i--) {
      long bin = calendar.base() + i;
      low = Math.min(low, free - total + drains(bin));
      room = idle[i] + Math.min(store[i], room);
      known[i] = Math.min(low, room);
      total -= calendar.dueIn(bin);
    }
  }

  private long drains(long bin) {
    long all = calendar.drains(bin, now);
    return others > 0 ? all - ceilDiv(all, others) : all;
  }

  /** How much may be promised in a bin that is not over. */
  long in(long bin) {
    if (bin < calendar.end()) {
      return known[(int) (bin - calendar.base())];
    }
    long ahead = bin - calendar.end() + 1;
    long storable = calendar.most() + Math.min(calendar.step(), ahead * calendar.step() - stored);
    return Math.min(free - all + drains(bin), storable);
  }

  /** The first bin from one on, at most the last one, with room for a cost; behind the last one if there is none. */
  long first(long quanta, long from, long last) {
    if (quanta > calendar.most()) {
      return Math.max(from, behind(quanta));
    }
    long bin = from;
    while (bin <= last && in(bin) < quanta) {
      bin++;
    }
    return bin;
  }

  // A cost above what may be due at once is due behind all others only, where it fits beside each
  // of them.
  private long behind(long quanta) {
    long bin = Math.max(calendar.end(), calendar.bin(now));
    long held = 0;
    for (long i = calendar.end() - 1; i >= calendar.base(); i--) {
      held += calendar.dueIn(i);
      long apart = Math.floorDiv(room(0) - held - quanta, calendar.step());
      bin = calendar.dueIn(i) > 0 ? Math.max(bin, i + calendar.lives - apart) : bin;
    }
    long missing = all + quanta - free;
    if (missing > 0) {
      long current = calendar.bin(now);
      long first = calendar.drains(current + 1, now);
      bin = Math.max(bin, current + 1 + Math.max(0, ceilDiv(missing - first, calendar.step())));
    }
    return bin;
  }

  private long room(long level) {
    return calendar.room(level);
  }
}
