package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.kind.Extras;
import io.weir.core.throttle.Ending;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The promise of every store for refunds: they leave a bucket as if the units had never been taken. */
abstract class RefundsContract extends KindsFixture {
  private static final int HISTORIES = Histories.count(12, 200);
  private static final int STEPS = 80;
  // So many reservations are told apart in a bucket.
  private static final int MOST_MARKS = 8;

  private final Demand tokens = perMinute("tokens", 100);

  @Test
  void tenOldReservationsGiveNothingBack() {
    List<Extras> old = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      old.add(reserve(100));
      clock().advance(60 * SECOND);
    }
    assertThat(admittedBetweenRefunds(old)).isEqualTo(100);
  }

  @Test
  void aTrickleKeepsNoRefundsAlive() {
    List<Extras> old = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      old.add(reserve(100 - used(tokens)));
      clock().advance(drained(99));
    }
    assertThat(used(tokens)).isEqualTo(1);
    // The operation that is left is given back once.
    assertThat(admittedBetweenRefunds(old)).isEqualTo(100);
  }

  @Test
  void tenTenthsGiveBackOneTenth() {
    List<Extras> tenths = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      tenths.add(reserve(10));
    }
    clock().advance(54 * SECOND);
    charge(90);
    tenths.forEach(this::cancel);
    assertThat(used(tokens)).isEqualTo(90);
  }

  @Test
  void anEmptiedBucketForgets() {
    Extras old = reserve(50);
    clock().advance(30 * SECOND);
    charge(60);
    cancel(old);
    assertThat(used(tokens)).isEqualTo(60);
  }

  @Test
  void clockSetBackMakesNoOldMarkNew() {
    Extras old = reserve(50);
    clock().advance(31 * SECOND);
    Extras newer = reserve(1);
    clock().advance(-31 * SECOND);
    Extras newest = reserve(30);
    cancel(old);
    assertThat(used(tokens)).isEqualTo(31);
    cancel(newer);
    assertThat(used(tokens)).isEqualTo(30);
    cancel(newest);
    assertThat(used(tokens)).isZero();
  }

  @Test
  void aCutBurstDropsMarks() {
    Extras old = reserve(100);
    Bucket bucket = tokens.bucket();
    Demand cut = new Demand(
        new Bucket(bucket.name(), bucket.scope(), bucket.rate(), bucket.burstMillis() / 2),
        tokens.unitsPerOperation());
    clock().advance(18 * SECOND);
    assertThat(ask(1, List.of(cut), Extras.NONE)).isInstanceOf(Denied.class);
    cancel(old);
    // The cut made room for 20 operations: an undo would make it once more.
    assertThat(used(cut)).isEqualTo(50);
  }

  @Test
  void anotherRateDropsMarks() {
    Extras old = reserve(100);
    Demand twice = perMinute("tokens", 200);
    clock().advance(30 * SECOND);
    assertThat(ask(10, List.of(twice), Extras.NONE)).isInstanceOf(Allowed.class);
    cancel(old);
    assertThat(used(twice)).isEqualTo(110);
  }

  @Test
  void nineReservationsMergeToTheLower() {
    Demand doubling = perMinute("doubling", 511);
    List<Extras> all = new ArrayList<>();
    for (int cost = 1; cost <= 256; cost *= 2) {
      all.add(reserving());
      assertThat(ask(cost, List.of(doubling), all.get(all.size() - 1))).isInstanceOf(Allowed.class);
    }
    end(List.of(doubling), all.get(8), new Ending.Cancelled());
    // The last two levels are 255 and 511: both reservations have the lower one.
    assertThat(used(doubling)).isEqualTo(511 - 255);
  }

  // Without the first, ten operations of the second would be left.
  @Test
  void aRefundLowersTheMarksOfNewerReservations() {
    Extras first = reserve(50);
    clock().advance(drained(20));
    Extras second = reserve(60);
    clock().advance(drained(50));
    charge(50);
    cancel(first);
    assertThat(used(tokens)).isEqualTo(60);
    cancel(second);
    assertThat(used(tokens)).isEqualTo(50);
  }

  // Without the second, nothing of the first would be left.
  @Test
  void aRefundLowersTheMarksOfOlderReservations() {
    Extras first = reserve(30);
    Extras second = reserve(60);
    clock().advance(drained(50));
    charge(50);
    cancel(second);
    assertThat(used(tokens)).isEqualTo(50);
    cancel(first);
    assertThat(used(tokens)).isEqualTo(50);
  }

  // Charges have several ways through the scripts.
  @Test
  void plainChargesLowerLow() {
    Extras quota = new Extras(List.of(quota("hour", 1000, false)), Optional.empty());
    Bucket shared = new Bucket("credits", Scope.TENANT, 1, 10_000_000);
    Demand credits = new Demand(shared, shared.unitsPerOperation(), false, true);
    chargeLowersLow(List.of(tokens), Extras.NONE);
    chargeLowersLow(List.of(tokens), quota);
    chargeLowersLow(List.of(tokens, credits), Extras.NONE);
  }

  private void chargeLowersLow(List<Demand> demands, Extras extras) {
    Extras old = reserve(50);
    clock().advance(drained(49));
    assertThat(ask(90, demands, extras)).isInstanceOf(Allowed.class);
    assertThat(used(tokens)).isEqualTo(91);
    cancel(old);
    assertThat(used(tokens)).isEqualTo(90);
    clock().advance(drained(90));
  }

  // The time in which so many operations drain.
  private static long drained(long operations) {
    return operations * 6 * SECOND / 10;
  }

  @Test
  void aRefundReachesEveryBucketThatPaid() {
    Bucket shared = new Bucket("shared", Scope.TENANT, 100_000, 60_000);
    List<Demand> both = List.of(tokens, Demand.of(shared, 60));
    Extras open = reserving();
    assertThat(ask(40, both, open)).isInstanceOf(Allowed.class);
    clock().advance(6 * SECOND);
    end(both, open, new Ending.Settled(20));
    assertThat(used(both.get(0))).isEqualTo(10);
    assertThat(used(both.get(1))).isEqualTo(10);
  }

  @Test
  void levelsAreThoseOfTheFinalCosts() {
    for (int i = 0; i < HISTORIES; i++) {
      make();
      new RefundHistory(Histories.firstSeed() + i, this).play(STEPS, MOST_MARKS);
    }
  }

  @Test
  void noRefundLeavesLessThanTheFinalCosts() {
    for (int i = 0; i < HISTORIES; i++) {
      make();
      new RefundHistory(Histories.firstSeed() + i, this).withClockSetBack().play(STEPS, STEPS);
    }
  }

  private Extras reserve(long cost) {
    Extras extras = reserving();
    assertThat(ask(cost, List.of(tokens), extras)).isInstanceOf(Allowed.class);
    return extras;
  }

  private void charge(long cost) {
    assertThat(ask(cost, List.of(tokens), Extras.NONE)).isInstanceOf(Allowed.class);
  }

  private void cancel(Extras reserved) {
    end(List.of(tokens), reserved, new Ending.Cancelled());
  }

  // Fills the bucket, then again after each refund.
  private long admittedBetweenRefunds(List<Extras> reserved) {
    long admitted = fill();
    for (Extras old : reserved) {
      cancel(old);
      admitted += fill();
    }
    return admitted;
  }

  private long fill() {
    long room = 100 - used(tokens);
    if (room > 0) {
      charge(room);
    }
    return room;
  }
}
