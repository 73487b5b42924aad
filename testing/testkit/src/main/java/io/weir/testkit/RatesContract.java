package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.kind.Extras;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ended.Status;
import io.weir.core.throttle.Ending;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The promises of stores for very high and very low rates, and for settlements far above the reservation. */
abstract class RatesContract extends ReservationsContract {
  @Tag(TransportFacts.TAG)
  @Test
  void fifteenMillionASecondAreCountedExactly() {
    List<Demand> gas = List.of(Demand.of(new Bucket("gas", Scope.KEY, new Rate(15, 1), 60_000)));
    assertThat(ask(900_000_000, gas, Extras.NONE)).isInstanceOf(Allowed.class);
    waitsExactly(gas, 15_000_000, SECOND);
  }

  @Test
  void aHundredInAMinuteAreCountedExactly() {
    Rate rate = new Rate(100, 60 * SECOND);
    List<Demand> minutely = List.of(Demand.of(new Bucket("minutely", Scope.KEY, rate, 60_000)));
    assertThat(ask(100, minutely, Extras.NONE)).isInstanceOf(Allowed.class);
    waitsExactly(minutely, 3, 1_800_000);
  }

  // One microsecond earlier it is denied.
  private void waitsExactly(List<Demand> demands, long cost, long waitMicros) {
    Denied denied = (Denied) ask(cost, demands, Extras.NONE);
    assertThat(denied.retryAfterMicros()).isEqualTo(waitMicros);
    clock().advance(denied.retryAfterMicros() - 1);
    assertThat(ask(cost, demands, Extras.NONE)).isInstanceOf(Denied.class);
    clock().advance(1);
    assertThat(ask(cost, demands, Extras.NONE)).isInstanceOf(Allowed.class);
  }

  @Test
  void aDebtToALargeBucketIsOwedInFull() {
    for (long opsPerMicro : List.of(4L, 9L)) {
      Bucket bucket = new Bucket("gas" + opsPerMicro, Scope.KEY, new Rate(opsPerMicro, 1), 1000);
      List<Demand> gas = List.of(Demand.of(bucket));
      long second = bucket.capacityUnits();
      Extras extras = reserving();
      assertThat(ask(second / 2, gas, extras)).isInstanceOf(Allowed.class);
      Ended ended = end(gas, extras, new Ending.Settled(3 * second));
      assertThat(ended).isEqualTo(new Ended(Status.SETTLED, false, 3 * second));
      Denied denied = (Denied) ask(1, gas, Extras.NONE);
      assertThat(denied.retryAfterMicros()).isBetween(2 * SECOND - 10_000, 2 * SECOND + 1);
      clock().advance(denied.retryAfterMicros() - 1);
      assertThat(ask(1, gas, Extras.NONE)).isInstanceOf(Denied.class);
      clock().advance(1);
      assertThat(ask(1, gas, Extras.NONE)).isInstanceOf(Allowed.class);
    }
  }

  @Test
  void theAnswerSaysWhereABucketCannotCountWhatIsOwed() {
    // The largest numbers: a second holds 4 × 10¹⁵ units, of 9.007 × 10¹⁵ that can be counted.
    Bucket bucket = new Bucket("largest", Scope.KEY, new Rate(4_000_000_000L, 1), 1000);
    List<Demand> demands = List.of(Demand.of(bucket));
    Extras first = reserving();
    Extras second = reserving();
    assertThat(ask(1, demands, first)).isInstanceOf(Allowed.class);
    assertThat(ask(1, demands, second)).isInstanceOf(Allowed.class);
    Ending much = new Ending.Settled(5_000_000_000_000_000L);
    assertThat(end(demands, first, much).isCapped()).isFalse();
    assertThat(end(demands, second, much).isCapped()).isTrue();
    Denied denied = (Denied) ask(1, demands, Extras.NONE);
    assertThat(denied.retryAfterMicros()).isBetween(1_240_000L, 1_251_751L);
    assertThat(ask(1, List.of(perMinute("tokens", 100)), reserving())).isInstanceOf(Allowed.class);
  }
}
