package io.weir.core.kind;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/**
 * Days, weeks or months in a time zone. They begin at the start of a day there, which is not always midnight, and are
 * as long as the zone's clocks make them.
 *
 * @param anchor for weeks the first day, 1 for Monday; for months the day of the month, or the last day in a month
 *     without it; 1 for days
 */
public record CalendarPeriods(Period period, ZoneId zone, int anchor) implements Periods {
  private static final long MILLIS_PER_DAY = 24L * 3600 * 1000;

  /** The unit of a period. */
  public enum Period {
    DAY,
    WEEK,
    MONTH
  }

  @Override
  public Span at(long nowMicros) {
    LocalDate first = firstDay(dateOf(nowMicros));
    return new Span(startOf(first), startOf(next(first)));
  }

  @Override
  public long millis() {
    return switch (period) {
      case DAY -> MILLIS_PER_DAY;
      case WEEK -> 7 * MILLIS_PER_DAY;
      case MONTH -> 30 * MILLIS_PER_DAY;
    };
  }

  // The boundaries of this period, the one before and the one after, because clocks may differ by
  // that much.
  @Override
  public String words(long nowMicros) {
    Span now = at(nowMicros);
    return "calendar %d %d %d %d"
        .formatted(
            at(now.startMicros() - 1).startMicros(),
            now.startMicros(),
            now.endMicros(),
            at(now.endMicros()).endMicros());
  }

  @Override
  public long wordsHoldUntil(long nowMicros) {
    return at(nowMicros).endMicros();
  }

  private LocalDate firstDay(LocalDate day) {
    return switch (period) {
      case DAY -> day;
      case WEEK -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.of(anchor)));
      case MONTH -> {
        LocalDate ofMonth = anchored(YearMonth.from(day));
        yield ofMonth.isAfter(day) ? anchored(YearMonth.from(day).minusMonths(1)) : ofMonth;
      }
    };
  }

  private LocalDate next(LocalDate first) {
    return switch (period) {
      case DAY -> first.plusDays(1);
      case WEEK -> first.plusWeeks(1);
      case MONTH -> anchored(YearMonth.from(first).plusMonths(1));
    };
  }

  private LocalDate anchored(YearMonth month) {
    return month.atDay(Math.min(anchor, month.lengthOfMonth()));
  }

  private LocalDate dateOf(long micros) {
    return LocalDate.ofInstant(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), zone);
  }

  private long startOf(LocalDate day) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, day.atStartOfDay(zone).toInstant());
  }
}
