package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Scope;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.CalendarPeriods.Period;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.Periods;
import io.weir.core.kind.Quota;
import io.weir.core.kind.Standing;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables of periods and of the usage counted in them. */
final class QuotaTest {
  private static final ModelRequest.Levels EMPTY = bucket -> 0;

  // If a clock is put forward at midnight, a day begins later; if it is put back, a day has 25
  // hours.
  @ParameterizedTest
  @CsvSource({
    "DAY,   UTC,               1, 2026-03-29T12:00:00Z, 2026-03-29T00:00:00Z, 2026-03-30T00:00:00Z",
    "DAY,   Europe/Berlin,     1, 2026-03-29T12:00:00Z, 2026-03-28T23:00:00Z, 2026-03-29T22:00:00Z",
    "DAY,   Europe/Berlin,     1, 2026-10-25T12:00:00Z, 2026-10-24T22:00:00Z, 2026-10-25T23:00:00Z",
    "DAY,   America/Santiago,  1, 2026-09-06T12:00:00Z, 2026-09-06T04:00:00Z, 2026-09-07T03:00:00Z",
    "DAY,   Asia/Kolkata,      1, 2026-01-01T18:29:59Z, 2025-12-31T18:30:00Z, 2026-01-01T18:30:00Z",
    "DAY,   Asia/Kolkata,      1, 2026-01-01T18:30:00Z, 2026-01-01T18:30:00Z, 2026-01-02T18:30:00Z",
    "WEEK,  UTC,               1, 2026-11-22T10:00:00Z, 2026-11-16T00:00:00Z, 2026-11-23T00:00:00Z",
    "WEEK,  UTC,               7, 2026-11-22T10:00:00Z, 2026-11-22T00:00:00Z, 2026-11-29T00:00:00Z",
    "WEEK,  Europe/Berlin,     1, 2026-03-29T12:00:00Z, 2026-03-22T23:00:00Z, 2026-03-29T22:00:00Z",
    "MONTH, UTC,               1, 2026-02-15T00:00:00Z, 2026-02-01T00:00:00Z, 2026-03-01T00:00:00Z",
    "MONTH, UTC,              31, 2026-02-15T00:00:00Z, 2026-01-31T00:00:00Z, 2026-02-28T00:00:00Z",
    "MONTH, UTC,              31, 2026-02-28T00:00:00Z, 2026-02-28T00:00:00Z, 2026-03-31T00:00:00Z",
    "MONTH, UTC,              31, 2028-02-28T23:59:59Z, 2028-01-31T00:00:00Z, 2028-02-29T00:00:00Z",
    "MONTH, UTC,              31, 2028-02-29T00:00:00Z, 2028-02-29T00:00:00Z, 2028-03-31T00:00:00Z",
    "MONTH, UTC,              31, 2026-04-30T05:00:00Z, 2026-04-30T00:00:00Z, 2026-05-31T00:00:00Z",
    "MONTH, UTC,              15, 2026-12-31T23:00:00Z, 2026-12-15T00:00:00Z, 2027-01-15T00:00:00Z",
    "MONTH, Europe/Berlin,     1, 2026-03-31T22:30:00Z, 2026-03-31T22:00:00Z, 2026-04-30T22:00:00Z",
    "MONTH, Europe/Berlin,     1, 2026-10-31T22:30:00Z, 2026-09-30T22:00:00Z, 2026-10-31T23:00:00Z"
  })
  void periodsFollowTheCalendarOfTheirZone(
      Period period, String zone, int anchor, Instant at, Instant start, Instant end) {
    CalendarPeriods window = new CalendarPeriods(period, ZoneId.of(zone), anchor);
    assertThat(window.at(micros(at))).isEqualTo(new Periods.Span(micros(start), micros(end)));
    assertThat(window.at(micros(end)).startMicros()).isEqualTo(micros(end));
    assertThat(window.at(micros(end) - 1).startMicros()).isEqualTo(micros(start));
  }

  @Test
  void aFullQuotaTellsWhenItsPeriodEnds() {
    QuotaModel quota = quota(100, new FixedPeriods(10_000, false), false);
    Counter used = quota.standing(Counter.NONE, asked(5_000_000, 60)).taken();
    Standing full = quota.standing(used, asked(6_000_000, 41)).standing();
    assertThat(full.hasRoom()).isFalse();
    assertThat(full.waitMicros()).isEqualTo(4_000_000);
    assertThat(full.resetMicros()).isEqualTo(4_000_000);
    assertThat(quota.standing(used, asked(6_000_000, 40)).standing().hasRoom()).isTrue();
    assertThat(quota.standing(used, asked(10_000_000, 100)).standing().hasRoom())
        .isTrue();
    assertThat(quota.standing(used, asked(6_000_000, 101)).standing().isNever()).isTrue();
  }

  @Test
  void aSlidingWindowForgetsThePeriodBeforeBitByBit() {
    QuotaModel quota = quota(100, new FixedPeriods(10_000, true), false);
    Counter used = quota.standing(Counter.NONE, asked(9_000_000, 100)).taken();
    assertThat(quota.standing(used, asked(12_500_000, 1)).standing().used()).isEqualTo(75);
    Standing full = quota.standing(used, asked(12_500_000, 26)).standing();
    assertThat(full.hasRoom()).isFalse();
    long comes = 12_500_000 + full.waitMicros();
    assertThat(quota.standing(used, asked(comes, 26)).standing().hasRoom()).isTrue();
    assertThat(quota.standing(used, asked(comes - 1000, 26)).standing().hasRoom())
        .isFalse();
    assertThat(quota.standing(used, asked(20_000_000, 100)).standing().hasRoom())
        .isTrue();
  }

  @Test
  void aFullSlidingWindowTellsAMomentOfTheNextOne() {
    QuotaModel quota = quota(100, new FixedPeriods(10_000, true), false);
    Counter used = quota.standing(Counter.NONE, asked(5_000_000, 100)).taken();
    Standing full = quota.standing(used, asked(6_000_000, 50)).standing();
    assertThat(full.waitMicros()).isEqualTo(9_000_000);
    assertThat(quota.standing(used, asked(15_000_000, 50)).standing().hasRoom()).isTrue();
  }

  @Test
  void aSoftQuotaOnlyWarns() {
    QuotaModel soft = new QuotaModel(
        new Quota("q", Scope.KEY, 10, new FixedPeriods(10_000, false), true, 80, false, false));
    Counter used = soft.standing(Counter.NONE, asked(0, 7)).taken();
    assertThat(soft.standing(Counter.NONE, asked(0, 7)).standing().near()).isFalse();
    assertThat(soft.standing(used, asked(0, 1)).standing().near()).isTrue();
    assertThat(soft.standing(used, asked(0, 1000)).standing().hasRoom()).isTrue();
  }

  @Test
  void nothingIsGivenBackToAnotherWindow() {
    QuotaModel quota = quota(100, new FixedPeriods(10_000, false), false);
    Counter used = quota.standing(Counter.NONE, asked(1_000_000, 60)).taken();
    long mark = quota.mark(1_000_000);
    assertThat(quota.settled(used, mark, -50, false, 2_000_000).number(2)).isEqualTo(10);
    assertThat(quota.settled(used, mark, -70, false, 2_000_000).number(2)).isZero();
    Counter next = quota.standing(used, asked(11_000_000, 30)).taken();
    assertThat(quota.settled(next, mark, -50, false, 12_000_000)).isEqualTo(next);
    assertThat(quota.settled(next, mark, 50, false, 12_000_000).number(2)).isEqualTo(80);
  }

  @Test
  void aDebtGoesToThePresentPeriodHoweverOldItIs() {
    long day = 86_400_000_000L;
    Periods days = new CalendarPeriods(Period.DAY, ZoneId.of("UTC"), 1);
    QuotaModel quota =
        new QuotaModel(new Quota("q", Scope.KEY, 100, days, false, 80, false, false));
    long mark = quota.mark(1_000_000);
    for (int later = 2; later < 40; later++) {
      long now = later * day + 5_000_000;
      Counter unused = quota.settled(Counter.NONE, mark, 60, false, now);
      assertThat(quota.standing(unused, asked(now + 1, 1)).standing().used()).isEqualTo(60);
      assertThat(quota.standing(unused, asked(now + day, 1)).standing().used()).isZero();
      Counter used = quota.standing(Counter.NONE, asked(now, 30)).taken();
      Counter both = quota.settled(used, mark, 60, false, now + 1);
      assertThat(quota.standing(both, asked(now + 2, 1)).standing().used()).isEqualTo(90);
      assertThat(quota.settled(used, mark, -60, false, now + 1)).isEqualTo(used);
    }
  }

  @Test
  void aResetKeepsTheBoundary() {
    QuotaModel quota = quota(100, new FixedPeriods(10_000, false), false);
    Counter used = quota.standing(Counter.NONE, asked(1_000_000, 100)).taken();
    Counter reset = quota.reset(used, 4_000_000);
    Standing after = quota.standing(reset, asked(4_000_000, 100)).standing();
    assertThat(after.hasRoom()).isTrue();
    assertThat(after.resetMicros()).isEqualTo(6_000_000);
  }

  @Test
  void aWindowThatIsNotOverGoesOnWhereItsLengthOrTheClockHasChanged() {
    QuotaModel ten = quota(100, new FixedPeriods(10_000, false), false);
    Counter used = ten.standing(Counter.NONE, asked(15_000_000, 100)).taken();
    assertThat(ten.standing(used, asked(9_000_000, 1)).standing().hasRoom()).isFalse();
    QuotaModel six = quota(100, new FixedPeriods(6_000, false), false);
    assertThat(six.standing(used, asked(16_000_000, 1)).standing().hasRoom()).isFalse();
  }

  private static QuotaModel quota(long limit, Periods window, boolean countsRequests) {
    return new QuotaModel(
        new Quota("q", Scope.KEY, limit, window, false, 80, countsRequests, false));
  }

  private static ModelRequest asked(long now, long cost) {
    return new ModelRequest(now, cost, 0, EMPTY);
  }

  private static long micros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }
}
