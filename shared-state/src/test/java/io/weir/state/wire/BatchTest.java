package io.weir.state.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Hold;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.policy.FailureMode;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class BatchTest {
  private static final List<KindDemand> PERMITS =
      List.of(new Permits("p", Scope.KEY, 1000, 60_000_000));

  @Test
  void aCallCarriesManyChargesOfRatesAndFewOfSeveralKinds() {
    int ofRates = carried(Lane.rates(Map.of()), 1, false);
    int ofKinds = carried(Lane.kinds(Map.of()), 1, true);
    assertThat(ofRates).isBetween(64, 128);
    assertThat(ofKinds).isBetween(8, 20);
  }

  @Test
  void ofOwnersThatWaitACallCarriesFewerChargesTheMoreBucketsTheyHave() {
    int ofNobodyWaiting = carried(Lane.rates(Map.of()), 1, false);
    int ofOne = carried(Lane.rates(Map.of()), 1, false, true);
    int ofEight = carried(Lane.rates(Map.of()), 8, false, true);
    int ofEightAndPermits = carried(Lane.kinds(Map.of()), 8, true, true);
    assertThat(ofOne).isBetween(16, ofNobodyWaiting / 2);
    assertThat(ofEight).isBetween(4, ofOne / 2);
    assertThat(ofEightAndPermits).isLessThan(ofEight);
  }

  @Test
  void aSingleChargeIsCarriedHoweverHeavyItIs() {
    assertThat(carried(Lane.rates(Map.of()), 500, false)).isEqualTo(1);
    assertThat(carried(Lane.kinds(Map.of()), 500, true)).isEqualTo(1);
    assertThat(carried(Lane.kinds(Map.of()), 500, true, true)).isEqualTo(1);
  }

  @Test
  void equalChargesOfRatesWeighNothingMore() {
    Batch batch = new Batch(Lane.rates(Map.of()), "weir:policy");
    batch.begin(1);
    Charge charge = charge("k", demands(100), false);
    ChargeTemplate template = new ChargeTemplate(charge);
    for (int i = 0; i < 200; i++) {
      assertThat(batch.add(new PendingCharge(charge, -1, 0), template, null))
          .isEqualTo(i == 0 ? 106 : 0);
    }
    assertThat(batch.entries()).hasSize(1);
  }

  @Test
  void equalChargesOfAnOwnerWhoWaitsWeighWhatTheirBucketsDo() {
    Batch batch = new Batch(Lane.rates(Map.of()), "weir:policy");
    batch.begin(1);
    Charge charge = charge("k", demands(20), false);
    ChargeTemplate template = new ChargeTemplate(charge);
    int count = 0;
    for (int weight = 0; weight != Batch.FULL; count++) {
      PendingCharge next = new PendingCharge(charge, -1, 0);
      next.expectQueue(true);
      weight = batch.add(next, template, null);
    }
    assertThat(count).isLessThan(8);
  }

  private static int carried(Lane lane, int buckets, boolean hasPermits) {
    return carried(lane, buckets, hasPermits, false);
  }

  // How many charges of different keys fit into one call.
  private static int carried(Lane lane, int buckets, boolean hasPermits, boolean areQueued) {
    Batch batch = new Batch(lane, "weir:policy");
    batch.begin(1);
    List<Demand> demands = demands(buckets);
    ChargeTemplate template = new ChargeTemplate(charge("k", demands, hasPermits));
    OthersTemplate others = hasPermits ? new OthersTemplate(PERMITS, 0) : null;
    int count = 0;
    boolean isAdded = true;
    while (isAdded) {
      PendingCharge next = new PendingCharge(charge("k" + count, demands, hasPermits), -1, 0);
      next.expectQueue(areQueued);
      isAdded = batch.add(next, template, others) != Batch.FULL;
      count += isAdded ? 1 : 0;
    }
    return count;
  }

  private static List<Demand> demands(int buckets) {
    return IntStream.range(0, buckets)
        .mapToObj(i -> Demand.of(new Bucket("b" + i, Scope.KEY, 1000, 1000)))
        .toList();
  }

  private static Charge charge(String subject, List<Demand> demands, boolean hasPermits) {
    Extras extras = hasPermits
        ? new Extras(PERMITS, Optional.of(new Hold("hold", 60_000_000, false, false)))
        : Extras.NONE;
    return new Charge(
        "acme", subject, 1, new Amount(demands, 1, extras), Queueing.NONE, FailureMode.DENY);
  }
}
