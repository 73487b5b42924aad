package io.weir.whole.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The ledger of a soak finds one operation too many, and none too few. */
final class SoakLedgerTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long BEGUN = TimeUnit.HOURS.toNanos(1);

  private final SoakLedger ledger = new SoakLedger();

  private void admitted(long sentMillis, long gotMillis, long cost) {
    ledger.admitted("b", BEGUN + sentMillis * MILLI, BEGUN + gotMillis * MILLI, cost);
  }

  private double above() {
    return ledger.above("b", 5, 10, 3);
  }

  @Test
  void aBurstAndWhatDrainsSinceMayBeAdmitted() {
    admitted(0, 0, 5);
    admitted(100, 100, 1);
    admitted(300, 300, 2);
    assertThat(above()).isNegative();
    admitted(300, 300, 1);
    assertThat(above()).isBetween(0.99, 1.01);
  }

  @Test
  void whatMayHaveBeenDecidedEarlierOrLaterIsNoViolation() {
    admitted(0, 0, 5);
    admitted(0, 100, 1);
    assertThat(above()).isNegative();
    admitted(50, 60, 1);
    assertThat(above()).isBetween(0.99, 1.01);
  }

  @Test
  void anOutageAddsTheSharesOfNodesOnce() {
    admitted(0, 0, 5);
    ledger.away(BEGUN + 10 * MILLI, BEGUN + 20 * MILLI);
    ledger.away(BEGUN + 30 * MILLI, BEGUN + 40 * MILLI);
    admitted(100, 100, 4);
    assertThat(above()).isNegative();
    admitted(100, 100, 1);
    assertThat(above()).isBetween(0.99, 1.01);
    assertThat(ledger.wasAway(BEGUN, BEGUN)).isTrue();
  }

  @Test
  void aQuotaIsCountedByTheMinute() {
    admitted(0, 1, 7);
    admitted(59_990, 60_010, 100);
    admitted(60_020, 60_030, 9);
    assertThat(ledger.mostInAMinute("b")).isEqualTo(9);
  }
}
