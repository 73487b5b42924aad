package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.Congestion.Point;
import io.weir.core.kind.Congestion.Scale;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ended.Status;
import io.weir.core.throttle.Ending;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The promises of every store for quotas, permits, reservations and overflow. The figures of reservations are those of
 * SMG's tenant limits, where a bucket of n tokens a minute is filled with a sixtieth of that each second.
 */
public abstract class KindsContract extends PartialContract {
  @Test
  void sixtyOfAHundredTokensFitOnceAndNotTwice() {
    Demand tokens = perMinute("tokens", 100);
    assertThat(ask(60, List.of(tokens), reserving())).isInstanceOf(Allowed.class);
    assertThat(ask(60, List.of(tokens), reserving())).isInstanceOf(Denied.class);
  }

  @Tag(TransportFacts.TAG)
  @Test
  void aCostAboveTheReservationIsOwed() {
    Demand tokens = perMinute("tokens", 100);
    Extras extras = reserving();
    assertThat(ask(50, List.of(tokens), extras)).isInstanceOf(Allowed.class);
    assertThat(end(List.of(tokens), extras, new Ending.Settled(110)))
        .isEqualTo(new Ended(Status.SETTLED, false, 110));
    Denied denied = (Denied) ask(1, List.of(tokens), Extras.NONE);
    Limit limit = denied.limits().get(0);
    assertThat(limit.usedUnits()).isEqualTo(110 * tokens.unitsPerOperation());
    assertThat(limit.remaining()).isZero();
    // Ten are owed and one is requested, at 100 a minute: 6.6 seconds.
    assertThat(denied.retryAfterMicros()).isBetween(6_600_000L, 6_601_000L);
    clock().advance(denied.retryAfterMicros());
    assertThat(ask(1, List.of(tokens), Extras.NONE)).isInstanceOf(Allowed.class);
  }

  @Test
  void aDebtIsTakenFromWhatHasDrainedMeanwhile() {
    Demand tokens = perMinute("tokens", 6000);
    Extras extras = reserving();
    assertThat(ask(2, List.of(tokens), extras)).isInstanceOf(Allowed.class);
    clock().advance(600_000);
    assertThat(end(List.of(tokens), extras, new Ending.Settled(502)).cost()).isEqualTo(502);
    assertThat(ask(5530, List.of(tokens), Extras.NONE)).isInstanceOf(Denied.class);
    assertThat(ask(5500, List.of(tokens), Extras.NONE)).isInstanceOf(Allowed.class);
  }

  @Test
  void anEmptyBucketTellsTheExactWaitAndWhatNeverFits() {
    Demand tokens = perMinute("tokens", 60);
    assertThat(ask(60, List.of(tokens), reserving())).isInstanceOf(Allowed.class);
    assertThat(((Denied) ask(30, List.of(tokens), reserving())).retryAfterMicros())
        .isEqualTo(30 * SECOND);
    assertThat(ask(100, List.of(tokens), reserving())).isInstanceOf(NeverAllowed.class);
  }

  // Hedera's gas: everything is charged at admission, the unused part is given back.
  @Tag(TransportFacts.TAG)
  @Test
  void unusedUnitsAreGivenBackAndNeverMoreThanThereAre() {
    Demand gas = perMinute("gas", 43);
    Extras extras = reserving();
    assertThat(ask(1, List.of(gas), Extras.NONE)).isInstanceOf(Allowed.class);
    assertThat(ask(42, List.of(gas), extras)).isInstanceOf(Allowed.class);
    assertThat(end(List.of(gas), extras, new Ending.Settled(40)).status())
        .isEqualTo(Status.SETTLED);
    assertThat(ask(3, List.of(gas), Extras.NONE)).isInstanceOf(Denied.class);
    assertThat(ask(2, List.of(gas), Extras.NONE)).isInstanceOf(Allowed.class);
    Extras late = reserving();
    clock().advance(60 * SECOND);
    assertThat(ask(43, List.of(gas), late)).isInstanceOf(Allowed.class);
    clock().advance(50 * SECOND);
    end(List.of(gas), late, new Ending.Cancelled());
    assertThat(ask(43, List.of(gas), Extras.NONE)).isInstanceOf(Allowed.class);
    assertThat(ask(1, List.of(gas), Extras.NONE)).isInstanceOf(Denied.class);
  }

  @Test
  void theFirstEndCounts() {
    Demand tokens = perMinute("tokens", 100);
    Extras extras = reserving();
    ask(50, List.of(tokens), extras);
    assertThat(end(List.of(tokens), extras, new Ending.Settled(70)))
        .isEqualTo(new Ended(Status.SETTLED, false, 70));
    assertThat(end(List.of(tokens), extras, new Ending.Settled(10)))
        .isEqualTo(new Ended(Status.SETTLED, true, 70));
    assertThat(end(List.of(tokens), extras, new Ending.Cancelled()))
        .isEqualTo(new Ended(Status.SETTLED, true, 70));
    assertThat(ask(31, List.of(tokens), Extras.NONE)).isInstanceOf(Denied.class);
    assertThat(ask(30, List.of(tokens), Extras.NONE)).isInstanceOf(Allowed.class);
    assertThat(ask(50, List.of(tokens), extras)).isInstanceOf(NeverAllowed.class);
  }

  @Test
  void unsettledReservationsAreRefundedOrKept() {
    Demand tokens = perMinute("tokens", 100);
    Extras refunded = held(List.of(), true, true);
    Extras kept = held(List.of(), true, false);
    ask(60, List.of(tokens), refunded);
    ask(40, List.of(tokens), kept);
    clock().advance(10 * SECOND);
    // The first pass finds them, in any partition.
    assertThat(stores().holds().expire().toCompletableFuture().join()).isEqualTo(2);
    // 100 minus 16.7 drained, minus 60.
    assertThat(ask(76, List.of(tokens), Extras.NONE)).isInstanceOf(Allowed.class);
    assertThat(end(List.of(tokens), refunded, new Ending.Settled(60)).status())
        .isEqualTo(Status.EXPIRED);
  }

  @Tag(TransportFacts.TAG)
  @Test
  void aDeniedRateTakesNoPermitAndADeniedPermitTakesNoRate() {
    Demand ten = perMinute("sixty", 60);
    Permits permits = permits(2);
    assertThat(ask(59, List.of(ten), held(List.of(permits), false, false)))
        .isInstanceOf(Allowed.class);
    assertThat(ask(2, List.of(ten), held(List.of(permits), false, false)))
        .isInstanceOf(Denied.class);
    Extras second = held(List.of(permits), false, false);
    assertThat(ask(1, List.of(ten), second)).isInstanceOf(Allowed.class);
    clock().advance(SECOND);
    Denied denied = (Denied) ask(1, List.of(ten), held(List.of(permits), false, false));
    assertThat(denied.full()).containsExactly("permits");
    end(List.of(ten), second, new Ending.Cancelled());
    assertThat(ask(1, List.of(ten), held(List.of(permits), false, false)))
        .isInstanceOf(Allowed.class);
  }

  @Tag(TransportFacts.TAG)
  @Test
  void aPermitIsFreeOnceItExpiresAndNothingHappensTwice() {
    Permits permits = permits(1);
    Extras first = held(List.of(permits), false, false);
    Extras second = held(List.of(permits), false, false);
    assertThat(ask(1, List.of(), first)).isInstanceOf(Allowed.class);
    assertThat(ask(1, List.of(), second)).isInstanceOf(Denied.class);
    clock().advance(4 * SECOND);
    assertThat(renew(first)).isTrue();
    clock().advance(4 * SECOND);
    assertThat(ask(1, List.of(), second)).isInstanceOf(Denied.class);
    clock().advance(SECOND);
    assertThat(ask(1, List.of(), second)).isInstanceOf(Allowed.class);
    // The first holder has lost it: it can neither renew it nor free the permit of another holder.
    assertThat(renew(first)).isFalse();
    assertThat(end(List.of(), first, new Ending.Cancelled()).status())
        .isEqualTo(Status.UNKNOWN_HOLD);
    assertThat(ask(1, List.of(), held(List.of(permits), false, false))).isInstanceOf(Denied.class);
    assertThat(end(List.of(), second, new Ending.Cancelled()).status()).isEqualTo(Status.RELEASED);
    assertThat(end(List.of(), second, new Ending.Cancelled()).status())
        .isEqualTo(Status.UNKNOWN_HOLD);
  }

  @Test
  void eachCallerOfPermitsGetsADifferentRelease() {
    Permits permits = permits(3);
    List<Extras> all = List.of(
        held(List.of(permits), false, false),
        held(List.of(permits), false, false),
        held(List.of(permits), false, false));
    all.forEach(extras -> ask(1, List.of(), extras));
    for (Extras extras : all) {
      clock().advance(200_000);
      end(List.of(), extras, new Ending.Cancelled());
    }
    all.forEach(extras -> ask(1, List.of(), held(List.of(permits), false, false)));
    long first =
        ((Denied) ask(1, List.of(), held(List.of(permits), false, false))).retryAfterMicros();
    long second =
        ((Denied) ask(1, List.of(), held(List.of(permits), false, false))).retryAfterMicros();
    assertThat(first).isEqualTo(200_000);
    assertThat(second).isEqualTo(400_000);
  }

  @Test
  void aFullBucketOverflowsAndTheAnswerSaysWhoPaid() {
    Demand own = perMinute("own", 10);
    Bucket shared = new Bucket("credits", Scope.TENANT, 1, 10_000_000);
    Demand credits = new Demand(shared, shared.unitsPerOperation(), false, true);
    assertThat(ask(10, List.of(own, credits), Extras.NONE).remarks().paidBy()).isEmpty();
    Decision paid = ask(8, List.of(own, credits), Extras.NONE);
    assertThat(paid).isInstanceOf(Allowed.class);
    assertThat(paid.remarks().paidBy()).containsExactly("credits");
    Denied denied = (Denied) ask(3, List.of(own, credits), Extras.NONE);
    assertThat(denied.retryAfterMicros()).isEqualTo(18 * SECOND);
  }

  @Test
  void aCostThatNeverFitsShowsTheUnitsUsed() {
    Demand tokens = perMinute("tokens", 100);
    Bucket shared = new Bucket("credits", Scope.TENANT, 100_000, 60_000);
    Demand credits = new Demand(shared, tokens.unitsPerOperation(), false, true);
    Demand full = perMinute("full", 1000);
    assertThat(askForPlace(1000, List.of(full))).isInstanceOf(Allowed.class);
    assertThat(askForPlace(95, List.of(tokens, full))).isInstanceOf(Denied.class);
    Decision never = ask(5, List.of(tokens, credits, perMinute("small", 1)), Extras.NONE);
    assertThat(never).isInstanceOf(NeverAllowed.class);
    // The place of the waiting caller does not count as used.
    assertThat(never.limits().get(0).bucket()).isEqualTo("tokens");
    assertThat(never.limits().get(0).usedUnits()).isZero();
  }

  @Test
  void aFullQuotaOverflowsToAnother() {
    Quota month = quota("month", 10, false);
    Quota paid = quota("paid", 5, true);
    Extras both = new Extras(List.of(month, paid), Optional.empty());
    assertThat(ask(10, List.of(), both).remarks().paidBy()).isEmpty();
    assertThat(ask(4, List.of(), both).remarks().paidBy()).containsExactly("paid");
    Denied denied = (Denied) ask(2, List.of(), both);
    assertThat(denied.full()).isNotEmpty();
  }

  @Test
  void asMuchAsWasReservedStaysCharged() {
    Demand tokens = perMinute("tokens", 100);
    Extras extras = reserving();
    ask(60, List.of(tokens), extras);
    assertThat(end(List.of(tokens), extras, new Ending.Settled(Ending.AS_RESERVED)))
        .isEqualTo(new Ended(Status.SETTLED, false, 60));
    assertThat(ask(41, List.of(tokens), Extras.NONE)).isInstanceOf(Denied.class);
    assertThat(ask(40, List.of(tokens), Extras.NONE)).isInstanceOf(Allowed.class);
  }

  // A price applies while a bucket is full; it must not make a request impossible.
  @Test
  void aPriceIsAtMostWhatTheLimitsHold() {
    Demand tokens = perMinute("tokens", 100);
    Congestion priced = new Congestion(
        tokens.bucket(),
        tokens,
        new Scale(List.of(new Point(5000, 100_000)), OptionalLong.of(0)),
        true,
        OptionalLong.empty());
    Extras extras = new Extras(List.of(priced), Optional.empty());
    assertThat(ask(60, List.of(tokens), extras)).isInstanceOf(Allowed.class);
    Denied denied = (Denied) ask(10, List.of(tokens), extras);
    assertThat(denied.retryAfterMicros()).isEqualTo(36 * SECOND);
    clock().advance(denied.retryAfterMicros());
    assertThat(ask(10, List.of(tokens), extras)).isInstanceOf(Allowed.class);
  }

  @Tag(TransportFacts.TAG)
  @Test
  void oneRetryAfterOverAllKinds() {
    Demand ten = perMinute("ten", 10);
    Quota quota = quota("quota", 12, false);
    Extras extras = new Extras(List.of(quota), Optional.empty());
    assertThat(ask(10, List.of(ten), extras)).isInstanceOf(Allowed.class);
    Denied both = (Denied) ask(3, List.of(ten), extras);
    assertThat(both.full()).containsExactlyInAnyOrder("ten", "quota");
    long reset = both.limits().stream()
        .filter(limit -> limit.bucket().equals("quota"))
        .findFirst()
        .orElseThrow()
        .resetMicros();
    assertThat(both.retryAfterMicros()).isEqualTo(Math.max(18 * SECOND, reset));
  }
}
