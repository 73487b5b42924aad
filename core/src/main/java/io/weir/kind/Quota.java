package io.weir.kind;

import io.weir.bucket.Scope;
import io.weir.kind.Window.Span;

/**
 * So many operations in a period. {@code lua/lib/quota.lua} says the same to Redis.
 *
 * <p>A sliding window is the counter of two windows (Cloudflare, "How we built rate limiting capable of scaling to
 * millions of domains", 2017), in thousandths: what the period before used counts by the share that is still covered.
 *
 * @param limit operations in a period, 1 to {@link #MAX_LIMIT}
 * @param isSoft whether it only warns
 * @param nearPercent from which share of the limit on callers are warned, 1 to 100
 * @param countsRequests whether each request counts as one, whatever it costs
 * @param overflow whether it is asked only where the quota before it is full
 */
public record Quota(
    String name,
    Scope scope,
    long limit,
    Window window,
    boolean isSoft,
    int nearPercent,
    boolean countsRequests,
    boolean overflow)
    implements KindDemand {

  /** The largest limit: a thousand times as much is still exact in a script. */
  public static final long MAX_LIMIT = 9_000_000_000_000L;

  private static final long STEPS = 1000;
  private static final long MICROS_PER_MILLI = 1000;

  public Quota {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit: %d (expected: 1 to %d)".formatted(limit, MAX_LIMIT));
    }
  }

  // Numbers of the counter: until when it is kept, the end of its window, used, used in the one
  // before.
  private record Use(Span span, long used, long before) {}

  @Override
  public Kind kind() {
    return Kind.QUOTA;
  }

  @Override
  public long quota() {
    return limit;
  }

  @Override
  public Standing standing(Counter stored, Asked asked) {
    Use use = use(stored, asked.nowMicros());
    long wanted = counted(asked.cost());
    long used = total(use, asked.nowMicros());
    boolean fits = wanted <= limit && used <= limit - wanted;
    long wait = isSoft || fits
        ? Standing.ROOM
        : wanted > limit ? Standing.NEVER : waitMicros(use, wanted, asked.nowMicros());
    return new Standing(
        wait,
        used,
        use.span.endMicros() - asked.nowMicros(),
        isNear(wait == Standing.ROOM ? plus(used, wanted) : used),
        counter(new Use(use.span, plus(use.used, wanted), use.before)),
        stored);
  }

  @Override
  public long windowMillis() {
    return window.millis();
  }

  @Override
  public long counted(long cost) {
    return countsRequests ? 1 : Math.min(cost, Counter.MOST);
  }

  @Override
  public long mark(long nowMicros) {
    return window.at(nowMicros).endMicros();
  }

  /** What is given back goes to the window it was taken in, or to none; what is owed to the present one. */
  @Override
  public Counter settled(Counter stored, long taken, long delta, boolean isUndone, long nowMicros) {
    if (delta == 0 || (countsRequests && !isUndone)) {
      return stored;
    }
    if (!window.reaches(taken, nowMicros)) {
      return delta > 0 ? owedLater(stored, taken, delta, nowMicros) : stored;
    }
    Use use = use(stored, nowMicros);
    if (delta > 0) {
      return counter(new Use(use.span, plus(use.used, delta), use.before));
    }
    if (taken == use.span.endMicros()) {
      return counter(new Use(use.span, Math.max(0, use.used + delta), use.before));
    }
    boolean wasBefore = taken == use.span.startMicros();
    return wasBefore
        ? counter(new Use(use.span, use.used, Math.max(0, use.before + delta)))
        : stored;
  }

  // A script knows the calendar of then, not of now: where nothing has been counted in the present
  // period, it is taken to be as long as the one of then. The next charge puts that right.
  private Counter owedLater(Counter stored, long taken, long delta, long nowMicros) {
    if (stored.number(1) > nowMicros) {
      return Counter.of(
          stored.untilMicros(), stored.number(1), plus(stored.number(2), delta), stored.number(3));
    }
    Span then = window.at(taken - 1);
    long length = then.endMicros() - then.startMicros();
    long end =
        then.startMicros() + (Math.floorDiv(nowMicros - then.startMicros(), length) + 1) * length;
    return Counter.of(end, end, Math.min(delta, Counter.MOST), 0);
  }

  @Override
  public long mostAtOnce() {
    return isSoft || countsRequests ? Long.MAX_VALUE : limit;
  }

  /** The same with another limit. */
  public Quota withLimit(long operations) {
    return new Quota(
        name, scope, operations, window, isSoft, nearPercent, countsRequests, overflow);
  }

  /** The same where it is asked only if the quota before it is full. */
  public Quota asOverflow() {
    return new Quota(name, scope, limit, window, isSoft, nearPercent, countsRequests, true);
  }

  /** The same counter with nothing used; the window stays. */
  public Counter reset(Counter stored, long nowMicros) {
    return counter(new Use(use(stored, nowMicros).span, 0, 0));
  }

  @Override
  public String words(long nowMicros) {
    return "%d %d %d %d %s"
        .formatted(
            limit, isSoft ? 1 : 0, nearPercent, countsRequests ? 1 : 0, window.words(nowMicros));
  }

  @Override
  public long wordsHoldUntil(long nowMicros) {
    return window.wordsHoldUntil(nowMicros);
  }

  // A window that was counted by another clock, zone or length, and is not over, goes on in the
  // present one.
  private Use use(Counter stored, long nowMicros) {
    Span span = window.at(nowMicros);
    long end = stored.number(1);
    if (end == span.endMicros() || end > nowMicros) {
      return new Use(span, stored.number(2), window.slides() ? stored.number(3) : 0);
    }
    boolean wasBefore = window.slides() && end == span.startMicros();
    return new Use(span, 0, wasBefore ? stored.number(2) : 0);
  }

  private Counter counter(Use use) {
    long end = use.span.endMicros();
    long until = window.slides() ? end + (end - use.span.startMicros()) : end;
    return Counter.of(until, end, use.used, use.before);
  }

  private long total(Use use, long nowMicros) {
    long before = use.before == 0 ? 0 : faded(use.before, share(use.span, nowMicros));
    return Math.min(Counter.MOST, use.used + before);
  }

  // Thousandths of the window before that are still covered.
  private static long share(Span span, long nowMicros) {
    long length = (span.endMicros() - span.startMicros()) / MICROS_PER_MILLI;
    long elapsed = (nowMicros - span.startMicros()) / MICROS_PER_MILLI;
    return STEPS - elapsed * STEPS / length;
  }

  // In two parts: the product of the whole may pass 2⁵³ where more was used than is allowed.
  private static long faded(long before, long share) {
    long rest = before % STEPS;
    return before / STEPS * share + (rest * share + STEPS - 1) / STEPS;
  }

  private long waitMicros(Use use, long wanted, long nowMicros) {
    Span span = use.span;
    if (!window.slides()) {
      return span.endMicros() - nowMicros;
    }
    if (use.used + wanted <= limit) {
      return fadesAt(span, use.before, limit - use.used - wanted) - nowMicros;
    }
    long length = span.endMicros() - span.startMicros();
    Span next = new Span(span.endMicros(), span.endMicros() + length);
    return fadesAt(next, use.used, limit - wanted) - nowMicros;
  }

  // When so little of what was used before is left: the largest share that leaves no more.
  private static long fadesAt(Span span, long before, long left) {
    long length = (span.endMicros() - span.startMicros()) / MICROS_PER_MILLI;
    long share = Math.min(STEPS, STEPS * left / before);
    long millis = ((STEPS - share) * length + STEPS - 1) / STEPS;
    return span.startMicros() + millis * MICROS_PER_MILLI;
  }

  private boolean isNear(long used) {
    return used >= (limit * nearPercent + 99) / 100;
  }

  private static long plus(long used, long more) {
    return used + Math.min(more, Math.max(0, Counter.MOST - used));
  }
}
