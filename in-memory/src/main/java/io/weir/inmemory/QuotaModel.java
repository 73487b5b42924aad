package io.weir.inmemory;

import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.Periods.Span;
import io.weir.core.kind.Quota;
import io.weir.core.kind.Standing;

/** The arithmetic of a quota. */
record QuotaModel(Quota quota) implements KindModel {
  private static final long STEPS = 1000;
  private static final long MICROS_PER_MILLI = 1000;

  // The numbers of the counter: until when it is kept, the end of its period, the usage in it, the
  // usage in the previous one.
  private record Use(Span span, long used, long before) {}

  @Override
  public LimitStanding standing(Counter stored, ModelRequest asked) {
    Use use = use(stored, asked.nowMicros());
    long wanted = quota.counted(asked.cost());
    long used = total(use, asked.nowMicros());
    boolean fits = wanted <= quota.limit() && used <= quota.limit() - wanted;
    long wait = quota.isSoft() || fits
        ? Standing.ROOM
        : wanted > quota.limit() ? Standing.NEVER : waitMicros(use, wanted, asked.nowMicros());
    Standing standing = new Standing(
        wait,
        used,
        use.span.endMicros() - asked.nowMicros(),
        isNear(wait == Standing.ROOM ? plus(used, wanted) : used),
        true);
    return new LimitStanding(
        standing, counter(new Use(use.span, plus(use.used, wanted), use.before)), stored);
  }

  @Override
  public long mark(long nowMicros) {
    return quota.window().at(nowMicros).endMicros();
  }

  /**
   * A refund goes to the window it was taken in, or to none; a debt goes to the present window. A window that is not over
   * keeps its end: a policy may have changed its length.
   */
  @Override
  public Counter settled(Counter stored, long taken, long delta, boolean isUndone, long nowMicros) {
    if (delta == 0 || (quota.countsRequests() && !isUndone)) {
      return stored;
    }
    if (delta < 0) {
      return refunded(stored, taken, delta);
    }
    if (stored.number(1) > nowMicros) {
      return counted(stored, plus(stored.number(2), delta), stored.number(3));
    }
    if (!reaches(taken, nowMicros)) {
      return owedLater(taken, delta, nowMicros);
    }
    Use use = use(stored, nowMicros);
    return counter(new Use(use.span, plus(use.used, delta), use.before));
  }

  private static Counter refunded(Counter stored, long taken, long delta) {
    long end = stored.number(1);
    if (taken == end) {
      return counted(stored, Math.max(0, stored.number(2) + delta), stored.number(3));
    }
    boolean wasBefore = taken == 2 * end - stored.untilMicros();
    return wasBefore
        ? counted(stored, stored.number(2), Math.max(0, stored.number(3) + delta))
        : stored;
  }

  // The same window with another usage.
  private static Counter counted(Counter stored, long used, long before) {
    return Counter.of(stored.untilMicros(), stored.number(1), used, before);
  }

  // Whether usage of the period that ends then may still count: of a calendar in that period or the
  // next one, as a script has no other knowledge of it.
  private boolean reaches(long endMicros, long nowMicros) {
    return !(quota.window() instanceof CalendarPeriods calendar)
        || (nowMicros >= calendar.at(endMicros - 1).startMicros()
            && nowMicros < calendar.at(endMicros).endMicros());
  }

  // A script knows the calendar of the reservation, not of now: the present period is assumed to be
  // as long as that one. The next charge corrects it.
  private Counter owedLater(long taken, long delta, long nowMicros) {
    Span then = quota.window().at(taken - 1);
    long length = then.endMicros() - then.startMicros();
    long end =
        then.startMicros() + (Math.floorDiv(nowMicros - then.startMicros(), length) + 1) * length;
    return Counter.of(end, end, Math.min(delta, Counter.MOST), 0);
  }

  @Override
  public long mostAtOnce() {
    return quota.isSoft() || quota.countsRequests() ? Long.MAX_VALUE : quota.limit();
  }

  @Override
  public long room(Standing standing) {
    return quota.isSoft() || quota.countsRequests()
        ? KindModel.super.room(standing)
        : Math.max(0, quota.limit() - standing.used());
  }

  /** The counter with nothing used; the window stays. */
  public Counter reset(Counter stored, long nowMicros) {
    return counter(new Use(use(stored, nowMicros).span, 0, 0));
  }

  // A window counted by another clock, zone or length that is not over continues in the present
  // one.
  private Use use(Counter stored, long nowMicros) {
    Span span = quota.window().at(nowMicros);
    long end = stored.number(1);
    if (end == span.endMicros() || end > nowMicros) {
      return new Use(span, stored.number(2), quota.window().slides() ? stored.number(3) : 0);
    }
    boolean wasBefore = quota.window().slides() && end == span.startMicros();
    return new Use(span, 0, wasBefore ? stored.number(2) : 0);
  }

  private Counter counter(Use use) {
    long end = use.span.endMicros();
    long until = quota.window().slides() ? end + (end - use.span.startMicros()) : end;
    return Counter.of(until, end, use.used, use.before);
  }

  private long total(Use use, long nowMicros) {
    long before = use.before == 0 ? 0 : faded(use.before, share(use.span, nowMicros));
    return Math.min(Counter.MOST, use.used + before);
  }

  // The part of the previous window that is still covered, in thousandths.
  private static long share(Span span, long nowMicros) {
    long length = (span.endMicros() - span.startMicros()) / MICROS_PER_MILLI;
    long elapsed = (nowMicros - span.startMicros()) / MICROS_PER_MILLI;
    return STEPS - elapsed * STEPS / length;
  }

  // In two parts: the whole product may pass 2⁵³ if more was used than is allowed.
  private static long faded(long before, long share) {
    long rest = before % STEPS;
    return before / STEPS * share + (rest * share + STEPS - 1) / STEPS;
  }

  private long waitMicros(Use use, long wanted, long nowMicros) {
    Span span = use.span;
    if (!quota.window().slides()) {
      return span.endMicros() - nowMicros;
    }
    if (use.used + wanted <= quota.limit()) {
      return fadesAt(span, use.before, quota.limit() - use.used - wanted) - nowMicros;
    }
    long length = span.endMicros() - span.startMicros();
    Span next = new Span(span.endMicros(), span.endMicros() + length);
    return fadesAt(next, use.used, quota.limit() - wanted) - nowMicros;
  }

  // The time when so little of the previous usage is left: the largest share that leaves no more.
  private static long fadesAt(Span span, long before, long left) {
    long length = (span.endMicros() - span.startMicros()) / MICROS_PER_MILLI;
    long share = Math.min(STEPS, STEPS * left / before);
    long millis = ((STEPS - share) * length + STEPS - 1) / STEPS;
    return span.startMicros() + millis * MICROS_PER_MILLI;
  }

  private boolean isNear(long used) {
    return used >= (quota.limit() * quota.nearPercent() + 99) / 100;
  }

  private static long plus(long used, long more) {
    return used + Math.min(more, Math.max(0, Counter.MOST - used));
  }
}
