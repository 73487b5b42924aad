package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.Histories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The promises of slots on random histories; the history throws if one is broken. */
@Tag("engine")
final class SlotFuzzTest {
  private static final int SEEDS = Histories.count(12, 2000);
  private static final int STEPS = 2500;

  @Test
  void aTicketInTimeIsAdmittedAtItsFirstReturn() {
    long inTime = 0;
    long withoutTicket = 0;
    long first = Histories.firstSeed();
    for (long seed = first; seed < first + SEEDS; seed++) {
      SlotHistory history = new SlotHistory(seed).run(STEPS);
      inTime += history.ticketsInTime;
      withoutTicket += history.placesWithoutTicket;
    }
    // A few histories of any seed may contain few of them.
    assertThat(inTime)
        .describedAs("tickets in time")
        .isGreaterThanOrEqualTo(Histories.count(0, 20 * SEEDS));
    assertThat(withoutTicket)
        .describedAs("places without ticket")
        .isGreaterThanOrEqualTo(Histories.count(0, 10 * SEEDS));
  }
}
