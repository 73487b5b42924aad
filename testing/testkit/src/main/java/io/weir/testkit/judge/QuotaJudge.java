package io.weir.testkit.judge;

import static io.weir.testkit.judge.Verdict.require;
import static java.util.Objects.requireNonNull;

import io.weir.testkit.ManualClock;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/**
 * Judges quotas: what was admitted in a period is at most the limit; where periods slide, together with the part of the
 * period before that is still covered. A clock that is set back into an earlier period leaves open in which of the two
 * an operation counts: then nothing is judged until both are over. Mutable; owned by one test.
 */
final class QuotaJudge {
  private final ManualClock clock;
  private final Map<String, Period> periods = new HashMap<>();
  private final Map<String, Long> openUntil = new HashMap<>();

  QuotaJudge(ManualClock clock) {
    this.clock = clock;
  }

  /** A period; the one before it fades if it slides. */
  record Window(long start, long end, boolean slides) {}

  /** A quota as a policy shapes it: its name with its owner. */
  record Shape(String name, Window window, long limit, boolean isSoft) {}

  private record Period(Window window, BigInteger used, BigInteger before) {
    // A period that is not over is continued, also if the clock was set back into the one before.
    Period at(Window now, long clock) {
      if (window.end() == now.end() || window.end() > clock) {
        return new Period(now, used, now.slides() ? before : BigInteger.ZERO);
      }
      boolean isNext = now.slides() && window.end() == now.start();
      return new Period(now, BigInteger.ZERO, isNext ? used : BigInteger.ZERO);
    }

    Period plus(BigInteger operations) {
      return new Period(window, used.add(operations), before);
    }

    long length() {
      return window.end() - window.start();
    }

    // Whether all that counts, and some more, is within a limit.
    boolean isWithin(long limit, BigInteger more, long clock) {
      BigInteger length = BigInteger.valueOf(length());
      BigInteger left =
          BigInteger.valueOf(window.end() - clock).max(BigInteger.ZERO).min(length);
      BigInteger total = used.add(more).multiply(length).add(before.multiply(left));
      return total.compareTo(BigInteger.valueOf(limit).multiply(length)) <= 0;
    }
  }

  /** All state was lost. */
  void forget() {
    periods.clear();
    openUntil.clear();
  }

  /** The clock is to be set back: periods that are over may have been forgotten. */
  void setBack() {
    periods.forEach((name, period) -> {
      if (period.window().end() <= clock.getAsLong()) {
        leaveOpen(name);
      }
    });
  }

  /** A quota admitted operations. */
  void admitted(Shape quota, BigInteger operations) {
    boolean isOpen = isOpen(quota.name());
    Period after = period(quota).plus(operations);
    periods.put(quota.name(), after);
    require(
        quota.isSoft()
            || isOpen
            || after.isWithin(quota.limit(), BigInteger.ZERO, clock.getAsLong()),
        quota,
        "admitted",
        operations,
        "operations:",
        after);
  }

  /**
   * Operations are owed above what was reserved; they may exceed the limit. They count in the present period. If nothing
   * was counted in it, its length may be that of another policy: nothing is judged until it is over.
   */
  void owed(Shape quota, BigInteger operations) {
    boolean isCounted = isCounted(quota.name());
    taken(quota, operations);
    if (!isCounted) {
      leaveOpen(quota.name());
    }
  }

  /** Operations count in the present period of this quota; they may exceed the limit. */
  void taken(Shape quota, BigInteger operations) {
    isOpen(quota.name());
    Period present =
        isCounted(quota.name()) ? requireNonNull(periods.get(quota.name())) : period(quota);
    periods.put(quota.name(), present.plus(operations));
  }

  /** Operations of the present period were given back without a reservation: as many as it had, or as were asked for. */
  void refunded(String quota, BigInteger asked, BigInteger operations) {
    boolean isOpen = isOpen(quota);
    BigInteger used =
        isCounted(quota) ? requireNonNull(periods.get(quota)).used() : BigInteger.ZERO;
    require(
        isOpen || operations.equals(used.min(asked)),
        quota,
        "gave back",
        operations,
        "operations of",
        asked,
        ", and",
        used,
        "were used");
    periods.computeIfPresent(
        quota,
        (name, period) ->
            new Period(period.window(), minus(period.used(), operations), period.before()));
  }

  /** Less was used than was admitted in the period with this end: it is given back there, or nowhere. */
  void givenBack(String quota, long periodEnd, BigInteger operations) {
    isOpen(quota);
    periods.computeIfPresent(quota, (name, period) -> {
      Window window = period.window();
      if (window.end() == periodEnd) {
        return new Period(window, minus(period.used(), operations), period.before());
      }
      return window.slides() && window.start() == periodEnd
          ? new Period(window, period.used(), minus(period.before(), operations))
          : period;
    });
  }

  /** Whether operations must be admitted now. A period that fades may count for up to a thousandth and one more. */
  boolean isFree(Shape quota, BigInteger operations) {
    Period period = period(quota);
    BigInteger step = period.before().signum() == 0
        ? BigInteger.ZERO
        : period.before().divide(BigInteger.valueOf(500)).add(BigInteger.TWO);
    return quota.isSoft()
        || (!isOpen(quota.name())
            && period.isWithin(quota.limit(), operations.add(step), clock.getAsLong()));
  }

  /** Whether operations may be admitted now. */
  boolean mayFit(Shape quota, BigInteger operations) {
    return quota.isSoft()
        || isOpen(quota.name())
        || period(quota)
            .plus(operations)
            .isWithin(quota.limit(), BigInteger.ZERO, clock.getAsLong());
  }

  // Whether something was counted in a period that is not over.
  private boolean isCounted(String quota) {
    Period period = periods.get(quota);
    return period != null && period.window().end() > clock.getAsLong();
  }

  // Whether the clock was set back into an earlier period, a short while ago.
  private boolean isOpen(String quota) {
    Period period = periods.get(quota);
    if (period != null && clock.getAsLong() < period.window().start()) {
      leaveOpen(quota);
    }
    return clock.getAsLong() < openUntil.getOrDefault(quota, 0L);
  }

  private void leaveOpen(String quota) {
    Period period = requireNonNull(periods.get(quota));
    openUntil.merge(quota, period.window().end() + period.length(), Math::max);
  }

  private Period period(Shape quota) {
    Window now = quota.window();
    return periods
        .getOrDefault(quota.name(), new Period(now, BigInteger.ZERO, BigInteger.ZERO))
        .at(now, clock.getAsLong());
  }

  private static BigInteger minus(BigInteger from, BigInteger units) {
    return from.subtract(units).max(BigInteger.ZERO);
  }
}
