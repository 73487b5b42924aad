package io.weir.testkit.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.ManualClock;
import io.weir.testkit.judge.RateJudge.Shape;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;

/** The least that is used is never above what a bucket may show, whatever was refunded, reused or reshaped before. */
final class LevelTest {
  private static final Shape SMALL = new Shape("b", "1/s", 1, 100);
  private static final Shape SMALLER = new Shape("b", "1/s", 1, 80);
  private static final Shape FASTER = new Shape("b", "2/s", 2, 100);
  private static final long LEASE = 1_000_000;

  private final ManualClock clock = new ManualClock();
  private final Level level = new Level(clock, SMALL);

  @Test
  void anIdThatIsUsedAgainLeavesItsFirstReservationAsItWasSettled() {
    reserve("again", 10);
    settle(SMALL, "again", 10, 10);
    reserve("again", 30);
    reserve("other", 20);
    settle(SMALL, "other", 20, 5);
    assertThat(level.least(SMALL)).isEqualTo(units(45));
  }

  @Test
  void theSecondReservationOfAnIdIsTheOneThatIsRefunded() {
    reserve("again", 10);
    settle(SMALL, "again", 10, 10);
    reserve("again", 30);
    settle(SMALL, "again", 30, 0);
    assertThat(level.least(SMALL)).isEqualTo(units(10));
  }

  @Test
  void whatADebtOfAnEarlierPolicyPutAboveTheCapacityMayBeCutAndTheRestIsStillRefunded() {
    reserve("held", 60);
    level.charge(units(40));
    settle(SMALLER, "earlier", 0, 5);
    level.reshape(SMALL);
    settle(SMALL, "held", 60, 0);
    assertThat(level.least(SMALL)).isEqualTo(units(40));
    assertThat(level.most(SMALL)).isEqualTo(units(45));
  }

  @Test
  void whatWasReservedAtAnotherRateIsNotGivenBack() {
    reserve("held", 40);
    level.reshape(FASTER);
    settle(SMALL, "held", 40, 0);
    assertThat(level.least(FASTER)).isEqualTo(units(80));
  }

  @Test
  void onceTheRateIsThatOfAReservationAgainItMayBeGivenBack() {
    reserve("held", 40);
    level.reshape(FASTER);
    level.charge(units(10));
    level.reshape(SMALL);
    settle(SMALL, "held", 40, 0);
    assertThat(level.least(SMALL)).isEqualTo(units(5));
    assertThat(level.most(SMALL)).isEqualTo(units(45));
  }

  @Test
  void anIdThatIsUsedAgainAtTheNewRateIsRefundedExactly() {
    reserve("held", 40);
    level.reshape(FASTER);
    reserve("held", 10);
    clock.advance(42);
    assertThat(level.least(FASTER)).isEqualTo(units(6));
    level.charge(units(10));
    settle(FASTER, "held", 10, 0);
    assertThat(level.least(FASTER)).isEqualTo(units(10));
  }

  @Test
  void nothingIsGivenBackOfWhatHasDrained() {
    reserve("held", 40);
    level.reshape(FASTER);
    clock.advance(40);
    level.reshape(SMALL);
    level.charge(units(30));
    settle(SMALL, "held", 40, 0);
    assertThat(level.least(SMALL)).isEqualTo(units(30));
  }

  private void reserve(String id, long units) {
    level.reserve(id, units(units), clock.getAsLong() + LEASE);
  }

  private void settle(Shape shape, String id, long before, long after) {
    level.settle(shape, id, units(before), units(after), clock.getAsLong());
  }

  private static BigInteger units(long units) {
    return BigInteger.valueOf(units);
  }
}
