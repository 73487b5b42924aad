package io.weir.state.assignment;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.assignment.Assignment;
import io.weir.core.assignment.DividedLimit;
import io.weir.core.assignment.SentAssignments;
import io.weir.core.assignment.UsageReport;
import io.weir.state.assignment.AssignmentPool.Assigned;
import io.weir.testkit.Histories;
import io.weir.testkit.judge.JudgedAssignments;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that spend what they were assigned: together never more than the limit, and nearly all of it. */
@Tag("engine")
final class AssignmentPoolTest {
  private static final long WHOLE = Assignment.WHOLE;
  private static final long SECOND = 1_000_000;
  private static final long BEGIN = 1_700_000_000_123_457L;

  @Test
  void whateverHappensTheLimitIsKept() {
    int histories = Histories.count(60, 10_000);
    for (long seed = Histories.firstSeed(); seed < Histories.firstSeed() + histories; seed++) {
      new JudgedAssignments(seed, new Present()).run();
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 100000, 1", "2, 5000, 1", "3, 1000000, 1"})
  void nearlyAllOfTheLimitIsUsedBySkewedAndMovingDemand(long seed, long requests, long seconds) {
    double used =
        new JudgedAssignments(seed, new DividedLimit(requests, seconds), new Present()).skewed();
    assertThat(used).isGreaterThanOrEqualTo(0.97);
  }

  @Test
  void anotherNodeGoesOnWithTheSameAssignment() {
    DividedLimit limit = new DividedLimit(1000, 1);
    SentAssignments first = new SentAssignments();
    Assigned one = AssignmentPool.EMPTY.report(limit, first.report("a", true, 5, 0, 0), BEGIN);
    first.sent(one.answer(), 0, 0);
    assertThat(one.answer().rate()).isEqualTo(WHOLE);
    Assigned moved = one.pool()
        .report(limit, new SentAssignments().report("a", false, 5, 0, 0), BEGIN + 3 * SECOND);
    assertThat(moved.answer().rate()).isEqualTo(WHOLE);
    assertThat(moved.answer().burst()).isEqualTo(one.answer().burst());
    // The former connection has lost it, even if another client with this name goes on with it.
    Assigned former =
        moved.pool().report(limit, first.report("a", false, 5, 0, 0), BEGIN + 4 * SECOND);
    assertThat(former.answer().rate()).isZero();
    assertThat(former.pool().rates()).isEqualTo(WHOLE);
    assertThat(moved.pool().rates()).isEqualTo(WHOLE);
  }

  @Test
  void aClientThatStartedAnewWaitsUntilItsAssignmentHasEnded() {
    DividedLimit limit = new DividedLimit(1000, 1);
    Assigned one =
        AssignmentPool.EMPTY.report(limit, new UsageReport("a", UsageReport.FRESH, 0, 0, 5), BEGIN);
    Assigned again =
        one.pool().report(limit, new UsageReport("a", UsageReport.FRESH, 0, 0, 5), BEGIN + SECOND);
    assertThat(again.answer().rate()).isZero();
    Assigned late = again
        .pool()
        .report(
            limit,
            new UsageReport("a", again.answer().record(), 0, 0, 5),
            BEGIN + AssignmentPool.HELD_MICROS);
    assertThat(late.answer().rate()).isGreaterThan(WHOLE * 9 / 10);
  }

  @Test
  void whatHasArrivedBeforeThePoolWasLostCountsForNothing() {
    DividedLimit limit = new DividedLimit(1000, 1);
    SentAssignments sent = new SentAssignments();
    Assigned last = AssignmentPool.EMPTY.report(limit, sent.report("a", true, 5, 0, 0), BEGIN);
    for (long second = 1; second <= 5; second++) {
      long nanos = second * 1_000_000_000;
      sent.sent(last.answer(), nanos - 900_000_000, nanos - 900_000_000);
      UsageReport report = sent.report("a", false, 5, nanos, nanos);
      assertThat(report.arrived()).isEqualTo(second);
      last = last.pool().report(limit, report, BEGIN + second * SECOND);
    }
    Assigned anew = AssignmentPool.EMPTY.report(
        limit, new UsageReport("a", UsageReport.UNKNOWN, 0, 0, 5), BEGIN + 6 * SECOND);
    sent.sent(anew.answer(), 6_000_000_000L, 6_000_000_000L);
    assertThat(sent.report("a", false, 5, 6_100_000_000L, 6_100_000_000L).arrived())
        .isZero();
    assertThat(sent.report("a", false, 5, 7_000_000_000L, 7_000_000_000L).arrived())
        .isEqualTo(anew.answer().sequence());
  }

  @Test
  void aStepBackOfTheClockHidesNoTime() {
    DividedLimit limit = new DividedLimit(1000, 1);
    SentAssignments sent = new SentAssignments();
    Assigned one = AssignmentPool.EMPTY.report(limit, sent.report("a", true, 5, 0, 0), BEGIN);
    sent.sent(one.answer(), 0, 0);
    // Nine seconds have passed: by a fast clock, it has ended.
    Assigned late = one.pool()
        .report(
            limit, sent.report("a", false, 5, 9_000_000_000L, 9_000_000_000L), BEGIN - 20 * SECOND);
    assertThat(late.answer().record()).isNotEqualTo(one.answer().record());
    assertThat(late.pool().rates()).isEqualTo(WHOLE);
    assertThat(late.pool().endings()).hasSize(1);
  }

  @Test
  void anIdleClientIsAbandoned() {
    DividedLimit limit = new DividedLimit(1000, 1);
    AssignmentPool pool = AssignmentPool.EMPTY;
    SentAssignments sent = new SentAssignments();
    Assigned last = pool.report(limit, sent.report("a", true, 5, 0, 0), BEGIN);
    for (long second = 1; !last.answer().isAbandoned(); second++) {
      long nanos = second * 1_000_000_000;
      sent.sent(last.answer(), nanos - 1_000_000_000, nanos - 1_000_000_000);
      last = last.pool()
          .report(limit, sent.report("a", false, 0, nanos, nanos), BEGIN + second * SECOND);
      assertThat(second).isLessThanOrEqualTo(10);
    }
    assertThat(last.pool().holders()).isEmpty();
    assertThat(last.pool().rates()).isEqualTo(WHOLE);
  }

  @Test
  void aLowerRateIsGivenToOthersOnceItHasArrived() {
    DividedLimit limit = new DividedLimit(1000, 1);
    long hungry = limit.used(1_000_000);
    SentAssignments sent = new SentAssignments();
    Assigned one = AssignmentPool.EMPTY.report(limit, sent.report("a", true, hungry, 0, 0), BEGIN);
    sent.sent(one.answer(), 0, 0);
    Assigned other = one.pool()
        .report(limit, new UsageReport("b", UsageReport.FRESH, 0, 0, hungry), BEGIN + SECOND);
    assertThat(other.answer().rate()).isZero();
    long record = other.answer().record();
    Assigned lower = other
        .pool()
        .report(
            limit,
            sent.report("a", false, hungry, 2_000_000_000, 2_000_000_000),
            BEGIN + 2 * SECOND);
    sent.sent(lower.answer(), 2_000_000_000, 2_000_000_000);
    assertThat(lower.answer().rate()).isLessThan(WHOLE);
    // It may be on its way, and this report, too.
    Assigned crossing = lower
        .pool()
        .report(
            limit, sent.report("a", false, 0, 2_400_000_000L, 2_400_000_000L), BEGIN + 2_400_000);
    assertThat(crossing.pool().rates()).isEqualTo(WHOLE);
    Assigned still = crossing
        .pool()
        .report(limit, new UsageReport("b", record, 0, 0, hungry), BEGIN + 2_450_000);
    assertThat(still.answer().rate()).isZero();
    Assigned arrived = still
        .pool()
        .report(
            limit,
            sent.report("a", false, hungry, 3_000_000_000L, 3_000_000_000L),
            BEGIN + 3 * SECOND);
    Assigned raised =
        arrived.pool().report(limit, new UsageReport("b", record, 0, 0, hungry), BEGIN + 3_100_000);
    assertThat(raised.answer().rate()).isPositive();
    assertThat(raised.pool().rates()).isLessThanOrEqualTo(WHOLE);
  }

  /** The present pool of a history. */
  private static final class Present implements JudgedAssignments.Pool {
    private AssignmentPool pool = AssignmentPool.EMPTY;

    @Override
    public Assignment report(DividedLimit limit, UsageReport report, long clockMicros) {
      Assigned assigned = pool.report(limit, report, clockMicros);
      pool = assigned.pool();
      long capacity = WHOLE * limit.micros();
      if (pool.rates() > WHOLE || pool.level() + pool.bursts() * limit.micros() > capacity) {
        throw new AssertionError("more than the limit is assigned: " + pool);
      }
      return assigned.answer();
    }
  }
}
