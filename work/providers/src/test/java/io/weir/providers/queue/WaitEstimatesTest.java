package io.weir.providers.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class WaitEstimatesTest {
  private static final long QUEUE_MILLIS = 5000;

  private final WaitEstimates estimates = new WaitEstimates(QUEUE_MILLIS);
  private long now = 17;

  private void goOn(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private void turnsAtHundredASecond() {
    for (int i = 0; i < 2000; i++) {
      goOn(10);
      estimates.turn(now);
    }
  }

  private long told(long leastMicros, long waiting) {
    return estimates.waitMillis(leastMicros, waiting, now);
  }

  @Test
  void estimatesAreAsFarApartAsTurns() {
    turnsAtHundredASecond();
    for (int i = 1; i <= 100; i++) {
      assertThat(told(0, 100)).isBetween(i * 10L - 4, i * 10L + 1);
    }
  }

  @Test
  void earlierEstimatesExpire() {
    turnsAtHundredASecond();
    for (int i = 0; i < 50; i++) {
      told(0, 100);
    }
    goOn(400);
    assertThat(told(0, 100)).isBetween(110L, 125L);
    goOn(2000);
    assertThat(told(0, 100)).isLessThanOrEqualTo(40); // turns became rare meanwhile
  }

  @Test
  void noEstimateIsLongerThanTheQueueLasts() {
    turnsAtHundredASecond();
    long[] counts = new long[6];
    for (int i = 0; i < 2000; i++) {
      long wait = told(0, 100);
      assertThat(wait).isBetween(1L, QUEUE_MILLIS);
      counts[(int) (wait / 1000)]++;
    }
    for (int second = 0; second < 5; second++) {
      assertThat(counts[second]).isBetween(390L, 410L);
    }
  }

  @Test
  void anEstimateIsBoundedAndShrinksWhateverHappened() {
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      if (random.nextBoolean()) {
        estimates.turn(now);
      }
      long before = told(0, random.nextInt(300));
      long again = 0;
      for (int asked = random.nextInt(4); asked > 0; asked--) {
        again = Math.max(again, told(0, 300));
      }
      assertThat(Math.max(before, again)).isBetween(1L, QUEUE_MILLIS);
      int passed = random.nextInt(3000);
      goOn(passed);
      // The next caller is one turn behind the last one, at most a tenth of the queue time later.
      assertThat(told(0, 300))
          .isLessThanOrEqualTo(Math.max(0, Math.max(before, again) - passed) + QUEUE_MILLIS / 10);
    }
  }

  @Test
  void withoutTurnsTheQueueEndsByItsDeadline() {
    assertThat(told(0, 1000)).isEqualTo(5);
    assertThat(told(0, 1000)).isEqualTo(10);
    assertThat(told(0, 0)).isEqualTo(510);
  }

  @Test
  void theFirstEstimateIsTheKnownTime() {
    turnsAtHundredASecond();
    assertThat(told(60_000_000, 10)).isEqualTo(60_000);
    assertThat(told(60_000_000, 10)).isBetween(60_009L, 60_011L);
    assertThat(told(0, 10)).isLessThanOrEqualTo(31); // the wait of another group does not count
  }
}
