package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.kind.Kind;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotLimits;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.SlotRules;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The promises of every {@link BucketStore}. The test class of a store only makes the store. */
public abstract class BucketStoreContract {
  private static final long SECOND = 1_000_000;

  /** A bucket of ten operations per second that holds ten. */
  private static final Demand TEN = demand("ten", Scope.KEY, 10, 1000);

  private static final Demand TENANT_FIVE = demand("five", Scope.TENANT, 5, 1000);
  private static final Demand CLUSTER_TWENTY = demand("twenty", Scope.CLUSTER, 20, 1000);

  private final ManualClock clock = new ManualClock();
  private @Nullable BucketStore made;

  /** Makes an empty store on this clock. */
  protected abstract BucketStore emptyStore(ManualClock clock);

  /** Whether it keeps buckets of scope {@code cluster} itself: on a Redis Cluster they are leased. */
  protected boolean hasClusterBuckets() {
    return true;
  }

  @BeforeEach
  void makeStore() {
    made = emptyStore(clock);
  }

  private BucketStore store() {
    return Objects.requireNonNull(made);
  }

  @Nested
  class OneBucket {
    @Test
    void admitsItsBurstAndNoMore() {
      for (int i = 9; i >= 0; i--) {
        assertThat(allowed(charge(1, TEN)).limits().get(0).remaining()).isEqualTo(i);
      }
      assertThat(denied(charge(1, TEN)).full()).containsExactly("ten");
    }

    @Test
    void allowsExactlyAtRetryAfterAndNotAMicrosecondBefore() {
      allowed(charge(10, TEN));
      clock.advance(33_333);
      long wait = denied(charge(1, TEN)).retryAfterMicros();
      assertThat(wait).isEqualTo(100_000 - 33_333);
      clock.advance(wait - 1);
      assertThat(denied(charge(1, TEN)).retryAfterMicros()).isEqualTo(1);
      clock.advance(1);
      allowed(charge(1, TEN));
    }

    @Test
    void waitIsRoundedUp() {
      Demand seven = demand("seven", Scope.KEY, 7, 1000);
      allowed(charge(7, seven));
      // One operation at 7/s drains in 142,857.14… µs.
      assertThat(denied(charge(1, seven)).retryAfterMicros()).isEqualTo(142_858);
    }

    @Test
    void takesCostsAboveOne() {
      assertThat(allowed(charge(7, TEN)).limits().get(0).remaining()).isEqualTo(3);
      assertThat(denied(charge(4, TEN)).retryAfterMicros()).isEqualTo(SECOND / 10);
      allowed(charge(3, TEN));
    }

    @Test
    void neverAllowsWhatTheEmptyBucketCannotHold() {
      NeverAllowed never = never(charge(11, TEN));
      assertThat(never.full()).containsExactly("ten");
      assertThat(never.reason()).isEqualTo(Decision.Reason.COST_EXCEEDS_CAPACITY);
      allowed(charge(10, TEN));
    }

    @Test
    void neverAllowsACostBeyondAllCounting() {
      never(charge(Long.MAX_VALUE, TEN));
      assertThat(allowed(charge(1, TEN)).limits().get(0).remaining()).isEqualTo(9);
    }

    @Test
    void isEmptyAgainAtItsReset() {
      Limit limit = allowed(charge(3, TEN)).limits().get(0);
      assertThat(limit)
          .isEqualTo(new Limit("ten", Kind.RATE, Scope.KEY, 10, 1000, 300_000, 7, 300_000));
      clock.advance(300_000);
      assertThat(allowed(charge(10, TEN)).limits().get(0).remaining()).isZero();
    }

    @Test
    void isEmptyAfterAYear() {
      allowed(charge(10, TEN));
      clock.advance(365L * 24 * 3600 * SECOND);
      allowed(charge(10, TEN));
    }

    @Test
    void holdsTheLargestCapacityThereIs() {
      long rate = Bucket.MAX_PRECISION / Bucket.MAX_BURST_MILLIS;
      Bucket largest = new Bucket("largest", Scope.KEY, new Rate(rate, 1), Bucket.MAX_BURST_MILLIS);
      Demand all = new Demand(largest, largest.capacityUnits());
      allowed(charge(1, all));
      assertThat(denied(charge(1, all)).retryAfterMicros())
          .isEqualTo(Bucket.MAX_BURST_MILLIS * 1000);
      Demand one = new Demand(largest, 1);
      assertThat(denied(charge(1, one)).retryAfterMicros()).isEqualTo(1);
    }
  }

  @Nested
  class SeveralBuckets {
    @Test
    void takesFromAllOrFromNone() {
      allowed(charge(5, TEN, TENANT_FIVE, CLUSTER_TWENTY));
      Denied denied = denied(charge(1, TEN, TENANT_FIVE, CLUSTER_TWENTY));
      assertThat(denied.full()).containsExactly("five");
      assertThat(remaining(denied)).containsExactly(5L, 0L, 15L);
    }

    @Test
    void waitsForTheSlowest() {
      allowed(charge(5, TEN, TENANT_FIVE));
      allowed(charge(5, TEN));
      Denied denied = denied(charge(2, TEN, TENANT_FIVE));
      assertThat(denied.full()).containsExactly("ten", "five");
      assertThat(denied.retryAfterMicros()).isEqualTo(2 * SECOND / 5);
    }

    @Test
    void oneThatCanNeverPassOutweighsOneThatIsFull() {
      allowed(charge(10, TEN));
      assertThat(never(charge(6, TEN, TENANT_FIVE)).full()).containsExactly("ten", "five");
    }

    @Test
    void anotherBucketOfTheSameOwnerKeepsDraining() {
      Demand other = demand("other", Scope.KEY, 1, 4000);
      allowed(charge(4, other));
      clock.advance(SECOND);
      allowed(charge(1, TEN));
      clock.advance(SECOND);
      assertThat(allowed(charge(1, other)).limits().get(0).remaining()).isEqualTo(1);
    }
  }

  @Nested
  class Scopes {
    @Test
    void aKeyBucketBelongsToOneKey() {
      allowed(charge("acme", "k1", 1, 10, TEN));
      allowed(charge("acme", "k2", 1, 10, TEN));
      denied(charge("acme", "k1", 1, 1, TEN));
    }

    @Test
    void aTenantBucketIsSharedByItsKeys() {
      allowed(charge("acme", "k1", 1, 5, TENANT_FIVE));
      denied(charge("acme", "k2", 1, 1, TENANT_FIVE));
      allowed(charge("globex", "k1", 1, 5, TENANT_FIVE));
    }

    @Test
    void aClusterBucketIsSharedByAll() {
      allowed(charge("acme", "k1", 1, 20, CLUSTER_TWENTY));
      denied(charge("globex", "k9", 1, 1, CLUSTER_TWENTY));
    }
  }

  @Nested
  class Peeking {
    @Test
    void answersLikeAChargeAndTakesNothing() {
      allowed(charge(9, TEN));
      Decision peeked = peek(charge(1, TEN));
      assertThat(peeked).isInstanceOf(Allowed.class);
      assertThat(remaining(peeked)).containsExactly(1L);
      assertThat(peek(charge(1, TEN))).isEqualTo(peeked);
      allowed(charge(1, TEN));
      assertThat(peek(charge(1, TEN))).isEqualTo(denied(charge(1, TEN)));
    }

    @Test
    void aDenialTakesNothing() {
      allowed(charge(10, TEN));
      for (int i = 0; i < 100; i++) {
        denied(charge(1, TEN));
      }
      clock.advance(SECOND / 10);
      allowed(charge(1, TEN));
    }
  }

  @Nested
  class PolicyChanges {
    @Test
    void usedUnitsTakeTheSameTimeToDrain() {
      allowed(charge(10, TEN));
      clock.advance(SECOND / 2);
      Demand halved = demand("ten", Scope.KEY, 5, 1000);
      // Half a second of draining remained: 2.5 operations at 5/s.
      assertThat(remaining(decide(charge("acme", "k1", 2, 1, halved)))).containsExactly(1L);
      assertThat(denied(charge("acme", "k1", 2, 2, halved)).retryAfterMicros()).isEqualTo(100_000);
    }

    @Test
    void aLargerRateForgetsNothingEither() {
      allowed(charge(10, TEN));
      Demand doubled = demand("ten", Scope.KEY, 20, 1000);
      assertThat(denied(charge("acme", "k1", 2, 1, doubled)).retryAfterMicros()).isEqualTo(50_000);
    }

    @Test
    void aSmallerBurstCapsWhatWasUsed() {
      allowed(charge(10, TEN));
      Demand shorter = demand("ten", Scope.KEY, 10, 500);
      assertThat(denied(charge("acme", "k1", 2, 5, shorter)).retryAfterMicros()).isEqualTo(500_000);
      clock.advance(499_999);
      assertThat(denied(charge("acme", "k1", 2, 5, shorter)).retryAfterMicros()).isEqualTo(1);
      clock.advance(1);
      allowed(charge("acme", "k1", 2, 5, shorter));
    }

    @Test
    void aCostThatNeverFitsGetsTheLevelsOfTheNewPolicy() {
      Demand shorter = demand("ten", Scope.KEY, 10, 500);
      allowed(charge(10, TEN));
      Limit limit = never(charge("acme", "k1", 2, 6, shorter)).limits().get(0);
      assertThat(limit.resetMicros()).isEqualTo(500_000);
    }

    @Test
    void anOddChangeOfRateIsRoundedDown() {
      Demand seven = demand("ten", Scope.KEY, 7, 1000);
      Demand thirteen = demand("ten", Scope.KEY, 13, 1000);
      allowed(charge("acme", "k1", 1, 5, seven));
      Decision carried = peek(charge("acme", "k1", 2, 1, thirteen));
      // 5 × 10⁶ × 13 / 7 = 9,285,714.3 units used, 3.7 operations left
      assertThat(remaining(carried)).containsExactly(3L);
      assertThat(carried.limits().get(0).resetMicros()).isEqualTo(714_286);
    }

    @Test
    void anOlderRevisionNeverDecidesAfterANewerOne() {
      allowed(charge("acme", "k1", 7, 1, TEN));
      assertThat(answer(charge("acme", "k1", 6, 1, TEN))).isEqualTo(new StoreAnswer.Stale(7));
      assertThat(await(store().peek(charge("acme", "k1", 6, 1, TEN))))
          .isEqualTo(new StoreAnswer.Stale(7));
      assertThat(remaining(peek(charge("acme", "k1", 7, 1, TEN)))).containsExactly(9L);
    }

    @Test
    void aBucketThatLeftThePolicyIsNoHindrance() {
      allowed(charge(5, TEN, demand("gone", Scope.KEY, 1, 100_000)));
      clock.advance(SECOND);
      assertThat(remaining(decide(charge("acme", "k1", 2, 1, TEN)))).containsExactly(9L);
    }
  }

  @Nested
  class Clocks {
    @Test
    void aClockThatGoesBackGrantsNothingAndFreezesNoCaller() {
      allowed(charge(10, TEN));
      clock.advance(-3600 * SECOND);
      long wait = denied(charge(1, TEN)).retryAfterMicros();
      assertThat(wait).isEqualTo(SECOND / 10);
      clock.advance(wait - 1);
      denied(charge(1, TEN));
      clock.advance(1);
      allowed(charge(1, TEN));
    }

    @Test
    void aStepForwardAndBackCostsAtMostOneBurst() {
      allowed(charge(10, TEN));
      clock.advance(3600 * SECOND);
      allowed(charge(10, TEN));
      clock.advance(-3600 * SECOND);
      assertThat(denied(charge(1, TEN)).retryAfterMicros()).isEqualTo(SECOND / 10);
      clock.advance(SECOND / 2);
      allowed(charge(5, TEN));
      denied(charge(1, TEN));
    }

    @Test
    void aStateAheadOfTheClockMovesNoOther() {
      clock.advance(3600 * SECOND);
      allowed(charge("acme", "k1", 1, 1, TEN));
      clock.advance(-3600 * SECOND);
      allowed(charge("globex", "k9", 1, 20, CLUSTER_TWENTY));
      Denied denied = denied(charge("acme", "k1", 1, 1, TEN, CLUSTER_TWENTY));
      assertThat(denied.full()).containsExactly("twenty");
      assertThat(denied.retryAfterMicros()).isEqualTo(SECOND / 20);
      assertThat(denied(charge("globex", "k9", 1, 1, CLUSTER_TWENTY)).retryAfterMicros())
          .isEqualTo(SECOND / 20);
    }

    @Test
    void slotsSurviveASmallStepBackAndEndWithALargeOne() {
      SlotRules rules = new SlotRules(SlotMode.RESERVE, SECOND / 2, 100, 60 * SECOND);
      allowed(charge(10, TEN));
      TicketRequest wanted = TicketRequest.wanted(Optional.empty(), "id%020d".formatted(1));
      Charge asking = charge(1, TEN).with(new Queueing(rules, wanted));
      Optional<String> ticket = denied(asking).ticket();
      clock.advance(-SECOND / 4);
      TicketRequest shown = TicketRequest.wanted(ticket, "id%020d".formatted(2));
      Charge back = charge(1, TEN).with(new Queueing(rules, shown));
      assertThat(((Decided) answer(back)).report().returned()).isEqualTo(Returned.EARLY);
      clock.advance(-SECOND);
      assertThat(((Decided) answer(back)).report().returned()).isEqualTo(Returned.UNKNOWN);
    }

    @Test
    void nothingMovesWhileTheClockStands() {
      allowed(charge(10, TEN));
      assertThat(denied(charge(1, TEN))).isEqualTo(denied(charge(1, TEN)));
    }
  }

  @Nested
  class Slots {
    private final SlotRules rules = new SlotRules(SlotMode.RESERVE, SECOND / 2, 100, 60 * SECOND);

    @BeforeEach
    void fill() {
      allowed(charge(10, TEN));
    }

    @Test
    void everyCallerGetsADifferentTime() {
      for (int i = 1; i <= 20; i++) {
        Denied denied = denied(ticketed("k1", i, ""));
        assertThat(denied.retryAfterMicros()).isEqualTo(i * SECOND / 10);
        assertThat(denied.estimate()).isFalse();
        assertThat(denied.ticket()).isPresent();
      }
    }

    @Test
    void aCallerInTimeIsAdmittedAndAnEarlyOneMovesNoOther() {
      String first = ticket(ticketed("k1", 1, ""));
      String second = ticket(ticketed("k1", 2, ""));
      for (int i = 0; i < 1000; i++) {
        Denied early = denied(ticketed("k1", 3, second));
        assertThat(early.retryAfterMicros()).isEqualTo(SECOND / 5);
        assertThat(early.ticket()).hasValue(second);
      }
      clock.advance(SECOND / 10);
      Decided kept = (Decided) answer(ticketed("k1", 4, first));
      assertThat(kept.decision()).isInstanceOf(Allowed.class);
      assertThat(kept.report().returned()).isEqualTo(Returned.KEPT);
      clock.advance(SECOND / 10);
      allowed(ticketed("k1", 5, second));
    }

    @Test
    void aTicketIsGoodOnce() {
      String ticket = ticket(ticketed("k1", 1, ""));
      clock.advance(SECOND / 10);
      allowed(ticketed("k1", 2, ticket));
      assertThat(returned(ticketed("k1", 3, ticket))).isEqualTo(Returned.UNKNOWN);
    }

    @Test
    void aTicketOfAnotherCallerOrRequestIsNone() {
      String ticket = ticket(ticketed("k1", 1, ""));
      clock.advance(SECOND / 10);
      String forged = ticket.substring(0, 17) + "x".repeat(22);
      assertThat(returned(ticketed("k1", 2, forged))).isEqualTo(Returned.UNKNOWN);
      assertThat(returned(ticketed("k2", 3, ticket))).isEqualTo(Returned.UNKNOWN);
      assertThat(returned(asking("k1", 2, 1, TEN, 4, ticket))).isEqualTo(Returned.UNKNOWN);
      allowed(ticketed("k1", 5, ticket));
    }

    @Test
    void aTextThatIsNoTicketIsIgnored() {
      assertThat(returned(ticketed("k1", 1, "a ticket, honestly"))).isEqualTo(Returned.NOT);
    }

    @Test
    void thePlaceOfAnAbsentCallerGoesToTheNextNewcomer() {
      String ticket = ticket(ticketed("k1", 1, ""));
      for (int i = 2; i <= 20; i++) {
        denied(ticketed("k1", i, ""));
      }
      clock.advance(SECOND / 10 + SECOND / 2);
      assertThat(returned(ticketed("k1", 21, ""))).isEqualTo(Returned.NOT);
      clock.advance(1);
      allowed(ticketed("k1", 22, ""));
      assertThat(returned(ticketed("k1", 23, ticket))).isEqualTo(Returned.LATE);
    }

    @Test
    void anotherRateEndsTheLine() {
      String ticket = ticket(ticketed("k1", 1, ""));
      Demand doubled = demand("ten", Scope.KEY, 20, 1000);
      clock.advance(SECOND / 10);
      Decided decided = (Decided) answer(asking("k1", 1, 2, doubled, 2, ticket));
      assertThat(decided.report().returned()).isEqualTo(Returned.UNKNOWN);
      assertThat(decided.decision()).isInstanceOf(Allowed.class);
    }

    @Test
    void anotherRevisionWithTheSameRateKeepsTheLine() {
      String ticket = ticket(ticketed("k1", 1, ""));
      clock.advance(SECOND / 10);
      assertThat(returned(asking("k1", 1, 2, TEN, 2, ticket))).isEqualTo(Returned.KEPT);
    }

    @Test
    void withoutATicketACallerThatReturnsWhenDueKeepsItsPlace() {
      Demand long2 = demand("long", Scope.KEY, 10, 2000);
      allowed(charge(20, long2));
      Charge plain = charge(1, long2).with(Queueing.of(rules));
      for (int i = 1; i <= 15; i++) {
        Denied denied = denied(plain);
        assertThat(denied.retryAfterMicros()).isEqualTo(i * SECOND / 10);
        assertThat(denied.ticket()).isEmpty();
        assertThat(denied.estimate()).isFalse();
      }
      clock.advance(SECOND);
      for (int i = 0; i < 10; i++) {
        assertThat(returned(plain)).isEqualTo(Returned.KEPT);
      }
      clock.advance(SECOND);
      for (int i = 0; i < 5; i++) {
        assertThat(returned(plain)).isEqualTo(Returned.KEPT);
      }
    }

    @Test
    void aBurstOfASecondMakesPlacesForCallersAtWholeSeconds() {
      Charge plain = charge(1, TEN).with(Queueing.of(SlotRules.DEFAULT));
      int turnedAway = 0;
      for (int i = 0; i < 60; i++) {
        clock.advance(7_321);
        if (((Decided) answer(plain)).decision() instanceof Denied denied) {
          assertThat(denied.estimate()).isFalse();
          turnedAway++;
        }
      }
      assertThat(turnedAway).isGreaterThanOrEqualTo(50);
    }

    @Test
    void aCallerAtItsWholeSecondIsAdmittedThoughTheBurstIsOnlyThatLong() {
      Charge plain = charge(1, TEN).with(Queueing.of(SlotRules.DEFAULT));
      SortedMap<Long, Integer> returns = new TreeMap<>();
      for (int i = 0; i < 60; i++) {
        long wholeSeconds = (denied(plain).retryAfterMicros() + SECOND - 1) / SECOND * SECOND;
        returns.merge(clock.getAsLong() + wholeSeconds, 1, Integer::sum);
      }
      returns.forEach((at, callers) -> {
        clock.advance(at - clock.getAsLong());
        for (int i = 0; i < callers; i++) {
          clock.advance(2_000);
          allowed(plain);
        }
      });
    }

    @Test
    void aFloodThatDoesNotWaitUsesAllOfTheRateThatItsPlacesLeave() {
      Demand hundred = demand("hundred", Scope.KEY, 100, 1000);
      Charge plain = charge(1, hundred).with(Queueing.of(SlotRules.DEFAULT));
      int admitted = 0;
      for (int i = 0; i < 2500; i++) {
        admitted += ((Decided) answer(plain)).decision() instanceof Allowed ? 1 : 0;
        clock.advance(2_000);
      }
      assertThat(admitted).isBetween(594, 600);
    }

    @Test
    void pastTheBoundsTheKthCallerGetsTheKthTimeAsAnEstimate() {
      SlotRules one = new SlotRules(SlotMode.RESERVE, SECOND / 2, 1, 60 * SECOND);
      denied(ticketed("k1", 1, ""));
      long before = 0;
      for (int i = 2; i < 10; i++) {
        Denied denied = denied(
            charge(1, TEN).with(new Queueing(one, TicketRequest.wanted(Optional.empty(), id(i)))));
        assertThat(denied.estimate()).isTrue();
        assertThat(denied.ticket()).isEmpty();
        assertThat(denied.retryAfterMicros()).isGreaterThanOrEqualTo(before + SECOND / 10);
        before = denied.retryAfterMicros();
      }
    }

    @Test
    void aSharedBucketOnlyEstimates() {
      allowed(charge("globex", "k9", 1, 20, CLUSTER_TWENTY));
      for (int i = 1; i < 5; i++) {
        Denied denied = denied(asking("k2", 1, 1, CLUSTER_TWENTY, i, ""));
        assertThat(denied.estimate()).isTrue();
        assertThat(denied.retryAfterMicros()).isEqualTo(i * SECOND / 20);
      }
    }

    @Test
    void noKeyMovesTheEstimatesOfASharedBucketFarAway() {
      allowed(charge("globex", "k9", 1, 20, CLUSTER_TWENTY));
      for (int i = 1; i < 400; i++) {
        denied(asking("k2", 1, 1, CLUSTER_TWENTY, i, ""));
      }
      assertThat(denied(asking("k3", 1, 1, CLUSTER_TWENTY, 500, "")).retryAfterMicros())
          .isLessThanOrEqualTo(10 * SECOND);
    }

    @Test
    void aKeyThatWaitsLeavesHalfOfTheTenantsLineToOthers() {
      Demand tenants = demand("tenants", Scope.TENANT, 10, 1000);
      allowed(charge(10, tenants));
      for (int i = 1; i <= 60; i++) {
        assertThat(denied(asking("k1", 1, 1, tenants, i, "")).estimate()).isEqualTo(i > 50);
      }
      Denied other = denied(asking("k2", 1, 1, tenants, 61, ""));
      assertThat(other.estimate()).isFalse();
      assertThat(other.retryAfterMicros()).isEqualTo(51 * SECOND / 10);
    }

    @Test
    void aLongUnclaimedQueueIsReleasedInPortions() {
      SlotRules many = new SlotRules(SlotMode.RESERVE, SECOND / 2, 1000, 120 * SECOND);
      List<String> tickets = new ArrayList<>();
      for (int i = 1; i <= 600; i++) {
        TicketRequest wanted = TicketRequest.wanted(Optional.empty(), id(i));
        tickets.add(ticket(charge(1, TEN).with(new Queueing(many, wanted))));
      }
      clock.advance(40 * SECOND);
      Decided first = (Decided) answer(ticketed("k1", 601, tickets.get(389)));
      assertThat(first.report().returned()).isEqualTo(Returned.LATE);
      assertThat(first.report().lost()).isEqualTo(SlotLimits.SWEPT_AT_MOST);
      assertThat(returned(ticketed("k1", 602, tickets.get(399)))).isEqualTo(Returned.KEPT);
      clock.advance(60 * SECOND);
      for (int i = 0; i < 10; i++) {
        allowed(charge(1, TEN));
      }
    }

    @Test
    void aCallerFindsThePlaceOfItsOwnKindAmongManyOthers() {
      Demand long2 = demand("long", Scope.KEY, 1000, 4000);
      allowed(charge(4000, long2));
      Charge two = charge(2, long2).with(Queueing.of(rules));
      Charge one = charge(1, long2).with(Queueing.of(rules));
      for (int i = 0; i < 90; i++) {
        assertThat(denied(two).estimate()).isFalse();
      }
      long wait = denied(one).retryAfterMicros();
      clock.advance(wait);
      assertThat(returned(one)).isEqualTo(Returned.KEPT);
    }

    @Test
    void withoutATicketNoCallerGetsASlotFurtherThanClientsWait() {
      Demand slow = demand("slow", Scope.KEY, 1, 100_000);
      allowed(charge(100, slow));
      Charge plain = charge(1, slow).with(Queueing.of(SlotRules.DEFAULT));
      for (int i = 1; i <= 40; i++) {
        assertThat(denied(plain).estimate()).isEqualTo(i > 30);
      }
      for (int i = 31; i <= 70; i++) {
        TicketRequest wanted = TicketRequest.wanted(Optional.empty(), id(i));
        Charge ticketed = charge(1, slow).with(new Queueing(SlotRules.DEFAULT, wanted));
        assertThat(denied(ticketed).estimate()).isEqualTo(i > 60);
      }
    }

    @Test
    void anEmptyBucketOfAnotherRateEndsNoQueue() {
      allowed(charge("acme", "k1", 1, 1, demand("other", Scope.KEY, 10, 1000)));
      String first = ticket(asking("k1", 1, 2, TEN, 1, ""));
      denied(asking("k1", 1, 2, TEN, 2, ""));
      denied(asking("k1", 1, 2, TEN, 3, ""));
      clock.advance(SECOND / 5);
      denied(asking("k1", 1, 2, TEN, 4, ""));
      clock.advance(SECOND / 20);
      allowed(charge("acme", "k1", 2, 1, demand("other", Scope.KEY, 20, 1000)));
      assertThat(returned(asking("k1", 1, 2, TEN, 5, first))).isEqualTo(Returned.KEPT);
    }

    @Test
    void withoutSlotsAllCallersGetTheSameTime() {
      assertThat(denied(charge(1, TEN))).isEqualTo(denied(charge(1, TEN)));
    }

    private Charge ticketed(String subject, int id, String shown) {
      return asking(subject, 1, 1, TEN, id, shown);
    }

    private Charge asking(
        String subject, long cost, long revision, Demand demand, int id, String shown) {
      TicketRequest ticket =
          TicketRequest.wanted(Optional.of(shown).filter(t -> !t.isEmpty()), id(id));
      return new Charge("acme", subject, revision, List.of(demand), cost)
          .with(new Queueing(rules, ticket));
    }

    private String ticket(Charge charge) {
      return denied(charge).ticket().orElseThrow();
    }

    private Returned returned(Charge charge) {
      return ((Decided) answer(charge)).report().returned();
    }

    private static String id(int number) {
      return "id%020d".formatted(number);
    }
  }

  /** A demand of whole operations from a bucket of one group. */
  private static Demand demand(String name, Scope scope, long opsPerSec, long burstMillis) {
    return Demand.of(new Bucket(name, scope, opsPerSec * 1000, burstMillis));
  }

  private static Charge charge(long cost, Demand... demands) {
    return charge("acme", "k1", 1, cost, demands);
  }

  private static Charge charge(
      String tenant, String subject, long revision, long cost, Demand... demands) {
    return new Charge(tenant, subject, revision, List.of(demands), cost);
  }

  private Allowed allowed(Charge charge) {
    return as(Allowed.class, decide(charge));
  }

  private Denied denied(Charge charge) {
    return as(Denied.class, decide(charge));
  }

  private NeverAllowed never(Charge charge) {
    return as(NeverAllowed.class, decide(charge));
  }

  private static <T> T as(Class<T> type, Decision decision) {
    assertThat(decision).isInstanceOf(type);
    return type.cast(decision);
  }

  private Decision decide(Charge charge) {
    return decision(answer(charge));
  }

  private Decision peek(Charge charge) {
    return decision(await(store().peek(charge)));
  }

  private StoreAnswer answer(Charge charge) {
    assumeTrue(hasClusterBuckets() || charge.demands().stream().allMatch(this::isNarrow));
    return await(store().tryCharge(charge));
  }

  private boolean isNarrow(Demand demand) {
    return demand.bucket().scope() != Scope.CLUSTER;
  }

  private static Decision decision(StoreAnswer answer) {
    return as(StoreAnswer.Decided.class, answer).decision();
  }

  private static <T> T as(Class<T> type, StoreAnswer answer) {
    assertThat(answer).isInstanceOf(type);
    return type.cast(answer);
  }

  private static StoreAnswer await(CompletionStage<StoreAnswer> answer) {
    return answer.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }

  private static List<Long> remaining(Decision decision) {
    return decision.limits().stream().map(Limit::remaining).toList();
  }
}
