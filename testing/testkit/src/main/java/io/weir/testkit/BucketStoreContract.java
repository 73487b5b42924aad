package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.StoreAnswer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The promises of every {@link BucketStore}. The test class of a store only makes the store. */
public abstract class BucketStoreContract extends StoreContract {
  private static final Demand TENANT_FIVE = demand("five", Scope.TENANT, 5, 1000);

  @Nested
  class OneBucket {
    @Tag(TransportFacts.TAG)
    @Test
    void admitsItsBurstAndNoMore() {
      for (int i = 9; i >= 0; i--) {
        assertThat(allowed(charge(1, TEN)).limits().get(0).remaining()).isEqualTo(i);
      }
      assertThat(denied(charge(1, TEN)).full()).containsExactly("ten");
    }

    @Tag(TransportFacts.TAG)
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

    @Tag(TransportFacts.TAG)
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
    @Tag(TransportFacts.TAG)
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

    @Tag(TransportFacts.TAG)
    @Test
    void aClusterBucketIsSharedByAll() {
      allowed(charge("acme", "k1", 1, 20, CLUSTER_TWENTY));
      denied(charge("globex", "k9", 1, 1, CLUSTER_TWENTY));
    }
  }

  @Nested
  class Peeking {
    @Tag(TransportFacts.TAG)
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

    @Tag(TransportFacts.TAG)
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
    void nothingMovesWhileTheClockStands() {
      allowed(charge(10, TEN));
      assertThat(denied(charge(1, TEN))).isEqualTo(denied(charge(1, TEN)));
    }
  }

  @Nested
  class Tickets extends TicketsContract {
    @Override
    protected BucketStore emptyStore(ManualClock clock) {
      return BucketStoreContract.this.emptyStore(clock);
    }

    @Override
    protected boolean hasClusterBuckets() {
      return BucketStoreContract.this.hasClusterBuckets();
    }
  }

  @Nested
  class Slots extends SlotsContract {
    @Override
    protected BucketStore emptyStore(ManualClock clock) {
      return BucketStoreContract.this.emptyStore(clock);
    }

    @Override
    protected boolean hasClusterBuckets() {
      return BucketStoreContract.this.hasClusterBuckets();
    }
  }
}
