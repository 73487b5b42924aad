package io.weir.core.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LeaseTest {
  @Test
  void toSpendNowIsTheSameAsToTakeAndToSettle() {
    Lease taking = held(10);
    Lease spending = held(10);
    for (long units : new long[] {1, 3, 6}) {
      assertThat(spending.has(units, 2)).isTrue();
      taking.settle(taking.take(units), true);
      spending.spendNow(units);
      assertThat(spending).hasToString(taking.toString());
    }
    assertThat(spending.has(1, 2)).isFalse();
    assertThat(spending.report(0, 1, 1, 0, 3)).isEqualTo(taking.report(0, 1, 1, 0, 3));
  }

  private static Lease held(long units) {
    Lease lease = new Lease("one");
    lease.granted(lease.report(0, units, units, 0, 1), units, 100, 1);
    return lease;
  }
}
