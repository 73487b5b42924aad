package io.weir.state.denial;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.connection.Returns;
import io.weir.state.wire.PendingCharge;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class DenialCacheTest {
  private static final long MILLI = 1_000_000;
  /** One operation in 500 ms, two at once. */
  private static final List<Demand> TWO =
      List.of(Demand.of(new Bucket("two", Scope.KEY, 2000, 1000)));

  private static final long FULL = TWO.get(0).bucket().capacityUnits();

  private long nanos = 7;
  private boolean changing;
  private final DenialCache denials = new DenialCache(() -> nanos, () -> changing, new Returns());

  @Test
  void tellsTheRestOfTheWaitFromTheAnswerOnAndNothingOnceRedisMightAllow() {
    long asked = nanos;
    nanos += 10 * MILLI;
    denials.learn(charge(1), new long[] {FULL}, asked);
    assertThat(retryAfterMicros(charge(1))).isEqualTo(500_000);
    nanos += 100 * MILLI;
    // A thousandth of the elapsed time is added: clocks differ.
    assertThat(retryAfterMicros(charge(1))).isEqualTo(400_100);
    // 499 ms after it was asked, plus a thousandth, the bucket is still full; after 500 ms there
    // may be room.
    nanos = asked + 499 * MILLI;
    assertThat(denials.answer(charge(1))).isNotNull();
    nanos = asked + 500 * MILLI;
    assertThat(denials.answer(charge(1))).isNull();
  }

  @Test
  void aHigherCostIsDeniedLongerAndOneThatNeverPassesIsNotItsConcern() {
    denials.learn(charge(1), new long[] {FULL}, nanos);
    nanos += 600 * MILLI;
    assertThat(denials.answer(charge(1))).isNull();
    assertThat(retryAfterMicros(charge(2))).isEqualTo(400_600);
    assertThat(denials.answer(charge(3))).isNull();
  }

  @Test
  void beyondTheBoundEachCallerGetsAnEstimateOfItsOwn() {
    learnLast();
    useUpTheBound();
    assertThat(retryAfterMicros(waiting())).isEqualTo(1_000_000);
    nanos += MILLI;
    assertThat(retryAfterMicros(waiting())).isEqualTo(1_499_000);
    assertThat(retryAfterMicros(waiting())).isEqualTo(1_999_000);
  }

  @Test
  void anEstimateIsAtMost64CostsLaterThanTheExactWaitAndShrinksHoweverOftenItIsAsked() {
    List<Demand> rare = List.of(Demand.of(new Bucket("rare", Scope.KEY, 1, 1_000_000)));
    Charge charge = new Charge("acme", "k1", 1, rare, 1).with(Queueing.of(SlotMode.RESERVE));
    long exact = 1_000_000_000;
    long full = rare.get(0).bucket().capacityUnits();
    denials.learnLast(new PendingCharge(charge, -1, nanos), new long[] {full}, exact);
    for (int i = 0; i < AskBudget.CROWD; i++) {
      assertThat(denials.answer(charge)).isNull();
    }
    for (int passed = 0; passed < 3; passed++) {
      for (int i = 0; i < 1000; i++) {
        assertThat(retryAfterMicros(charge))
            .isBetween(exact - passed * 1000L, 65 * exact - passed * 1000L);
      }
      nanos += MILLI;
    }
  }

  @ParameterizedTest
  @EnumSource(SlotMode.class)
  void aFloodOfAFullBucketOfTheClusterCostsRedisFewCallsWhoeverTakesPartInIt(SlotMode mode) {
    List<Demand> shared = List.of(Demand.of(new Bucket("all", Scope.CLUSTER, 10_000, 1000)));
    long[] full = {shared.get(0).bucket().capacityUnits()};
    Random random = new Random(7);
    int calls = 0;
    for (int millis = 0; millis < 10_000; millis++) {
      for (int i = 0; i < 10; i++) {
        String tenant = "t" + random.nextInt(5);
        String key = tenant + "-" + random.nextInt(20);
        Charge charge = new Charge(tenant, key, 1, shared, 1).with(Queueing.of(mode));
        if (denials.answer(charge) == null) {
          calls++;
          learn(charge, full);
        }
      }
      nanos += MILLI;
    }
    int atARate = 250 * 10;
    int firstOfTenants = 5 * 5 * 10;
    assertThat(calls).isLessThanOrEqualTo(AskBudget.FEW + atARate + firstOfTenants);
  }

  private void learn(Charge denied, long[] used) {
    if (DenialCache.concern(denied)) {
      denials.learn(denied, used, nanos);
    } else {
      denials.learnLast(new PendingCharge(denied, -1, nanos), used, 100_000);
    }
  }

  @Test
  void nothingIsKnownWhileThePolicyMayChangeAtAnyMoment() {
    denials.learn(charge(1), new long[] {FULL}, nanos);
    learnLast();
    useUpTheBound();
    changing = true;
    assertThat(denials.answer(charge(1))).isNull();
    assertThat(denials.answer(waiting())).isNull();
    changing = false;
    assertThat(denials.answer(charge(1))).isNotNull();
    assertThat(denials.answer(waiting())).isNotNull();
  }

  @Test
  void aDenialOfAnHourAgoDeniesNoCallerHoweverManyCome() {
    learnLast();
    nanos += 3600 * 1000L * MILLI;
    for (int i = 0; i < 300; i++) {
      assertThat(denials.answer(waiting())).isNull();
    }
  }

  @Test
  void aCallerThatAsksFarTooOftenIsAnsweredHereWhateverTheCost() {
    learnLast();
    useUpTheBound();
    for (int i = 0; i < 1000; i++) {
      assertThat(retryAfterMicros(waiting(1 + i % 2)))
          .isBetween(1_000_000L, 500_000L + LastDenial.TURNS * 500_000L);
    }
    nanos += 100 * MILLI;
    assertThat(denials.answer(waiting())).isNull();
  }

  // As Redis works longer on each, which takes as long as on four with three buckets.
  @Test
  void aRequestOfThirtyBucketsAsksAQuarterAsOften() {
    List<Demand> thirty = IntStream.range(0, 30)
        .mapToObj(i -> Demand.of(new Bucket("b" + i, Scope.KEY, 10_000, 1000)))
        .toList();
    Charge charge = new Charge("acme", "k1", 1, thirty, 1).with(Queueing.of(SlotMode.RESERVE));
    long[] full = new long[30];
    Arrays.fill(full, FULL);
    denials.learnLast(new PendingCharge(charge, -1, nanos), full, 500_000);
    int asked = 0;
    while (denials.answer(charge) == null) {
      asked++;
    }
    assertThat(asked).isEqualTo(AskBudget.CROWD / 4);
    int inASecond = 0;
    for (int millis = 0; millis < 10_000; millis++) {
      nanos += MILLI;
      denials.learnLast(new PendingCharge(charge, -1, nanos), full, 500_000);
      inASecond += denials.answer(charge) == null ? 1 : 0;
    }
    assertThat(inASecond).isBetween(600, 630);
  }

  // Each of these denials may make a place, which costs Redis ten times an admission.
  @Test
  void aFloodOfAFastKeyAsksAnEighthMoreThanItsRate() {
    List<Demand> fast = List.of(Demand.of(new Bucket("fast", Scope.KEY, 10_000_000, 1000)));
    Charge charge = new Charge("acme", "k1", 1, fast, 1).with(Queueing.of(SlotMode.RESERVE));
    int asked = 0;
    for (int tenths = 0; tenths < 100_000; tenths++) {
      denials.learnLast(new PendingCharge(charge, -1, nanos), new long[] {FULL}, 500_000);
      for (int i = 0; i < 4; i++) {
        asked += denials.answer(charge) == null ? 1 : 0;
      }
      nanos += MILLI / 10;
    }
    assertThat(asked).isBetween(10 * 11_250, 10 * 11_250 + AskBudget.CROWD);
  }

  @Test
  void aTicketShownFarTooOftenIsKept() {
    String ticket = "4000000000000000.1.0." + "a".repeat(20);
    Charge showing = new Charge("acme", "k1", 1, TWO, 1)
        .with(
            new Queueing(SlotMode.OFF, TicketRequest.wanted(Optional.of(ticket), "y".repeat(22))));
    for (int i = 0; i < AskBudget.CROWD; i++) {
      assertThat(denials.answer(showing)).isNull();
    }
    Denied denied = (Denied) ((Decided) Objects.requireNonNull(denials.answer(showing))).decision();
    assertThat(denied.ticket()).hasValue(ticket);
    assertThat(denied.retryAfterMicros()).isEqualTo(100_000);
  }

  private void learnLast() {
    denials.learnLast(new PendingCharge(waiting(), -1, nanos), new long[] {FULL}, 500_000);
  }

  private void useUpTheBound() {
    for (int i = 0; i < AskBudget.CROWD; i++) {
      assertThat(denials.answer(waiting(1 + i % 2))).isNull();
    }
  }

  private static Charge waiting() {
    return waiting(1);
  }

  private static Charge waiting(long cost) {
    return new Charge("acme", "k1", 1, TWO, cost).with(Queueing.of(SlotMode.RESERVE));
  }

  @Test
  void knowsNothingOfAnotherSubjectRevisionOrOperation() {
    denials.learn(charge(1), new long[] {FULL}, nanos);
    assertThat(denials.answer(new Charge("acme", "other", 1, TWO, 1))).isNull();
    assertThat(denials.answer(new Charge("globex", "k1", 1, TWO, 1))).isNull();
    assertThat(denials.answer(new Charge("acme", "k1", 2, TWO, 1))).isNull();
    List<Demand> others = List.of(TWO.get(0), demand("more"));
    assertThat(denials.answer(new Charge("acme", "k1", 1, others, 1))).isNull();
    assertThat(denials.answer(charge(1))).isNotNull();
  }

  @Test
  void asksAgainAfterASecond() {
    List<Demand> slow = List.of(Demand.of(new Bucket("slow", Scope.KEY, 1, 1_000_000)));
    Charge charge = new Charge("acme", "k1", 1, slow, 1);
    denials.learn(charge, new long[] {slow.get(0).unitsPerOperation()}, nanos);
    nanos += DenialCache.MAX_AGE_NANOS;
    assertThat(denials.answer(charge)).isNotNull();
    nanos++;
    assertThat(denials.answer(charge)).isNull();
  }

  @Test
  void isBounded() {
    for (int i = 0; i < DenialCache.MAX_KNOWN; i++) {
      denials.learn(new Charge("acme", "k" + i, 1, TWO, 1), new long[] {FULL}, nanos);
    }
    assertThat(denials.answer(new Charge("acme", "k0", 1, TWO, 1))).isNotNull();
    denials.learn(new Charge("acme", "k0", 1, TWO, 1), new long[] {FULL}, nanos);
    assertThat(denials.answer(new Charge("acme", "k9", 1, TWO, 1))).isNotNull();
    denials.learn(new Charge("acme", "another", 1, TWO, 1), new long[] {FULL}, nanos);
    assertThat(denials.answer(new Charge("acme", "k9", 1, TWO, 1))).isNull();
    assertThat(denials.answer(new Charge("acme", "another", 1, TWO, 1))).isNotNull();
  }

  @Test
  void wherePlacesAreMadeRedisIsAsked() {
    assertThat(DenialCache.concern(charge(1))).isTrue();
    assertThat(DenialCache.concern(
            new Charge("acme", "k1", 1, TWO, 1).with(Queueing.of(SlotMode.RESERVE))))
        .isFalse();
    TicketRequest shown =
        new TicketRequest(Optional.of("%016d.1.0.%s".formatted(1, "a".repeat(20))), "", -1);
    assertThat(DenialCache.concern(
            new Charge("acme", "k1", 1, TWO, 1).with(new Queueing(SlotMode.OFF, shown))))
        .isFalse();
  }

  @Test
  void aDenialIsForeseenExactlyAsItIsGivenAndCountsNoCall() {
    assertThat(denials.foreseen(charge(1))).isEmpty();
    denials.learn(charge(1), new long[] {FULL}, nanos);
    nanos += 100 * MILLI;
    assertThat(denials.foreseen(charge(1)))
        .contains(((Decided) Objects.requireNonNull(denials.answer(charge(1)))).decision());
    nanos += 400 * MILLI;
    for (int i = 0; i < 10 * AskBudget.FEW; i++) {
      assertThat(denials.foreseen(charge(1))).isEmpty();
    }
    assertThat(denials.foreseen(charge(2))).isPresent();
    changing = true;
    assertThat(denials.foreseen(charge(2))).isEmpty();
  }

  @Test
  void wherePlacesAreMadeADenialIsForeseenBeyondTheBoundOnly() {
    learnLast();
    for (int i = 0; i < 2 * AskBudget.CROWD; i++) {
      assertThat(denials.foreseen(waiting())).isEmpty();
    }
    useUpTheBound();
    assertThat(denials.foreseen(waiting())).isPresent();
    assertThat(denials.foreseen(waiting()
            .with(new Queueing(
                SlotMode.RESERVE,
                new TicketRequest(
                    Optional.of("%016d.1.0.%s".formatted(1, "a".repeat(20))), "", -1)))))
        .isEmpty();
  }

  private long retryAfterMicros(Charge charge) {
    StoreAnswer answer = Objects.requireNonNull(denials.answer(charge));
    return ((Denied) ((Decided) answer).decision()).retryAfterMicros();
  }

  private static Charge charge(long cost) {
    return new Charge("acme", "k1", 1, TWO, cost);
  }

  private static Demand demand(String name) {
    return Demand.of(new Bucket(name, Scope.KEY, 2000, 1000));
  }
}
