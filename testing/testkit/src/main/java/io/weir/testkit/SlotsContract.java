package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotMode;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The promises of every {@link io.weir.core.throttle.BucketStore} about places to all callers together. */
abstract class SlotsContract extends SlotsFixture {
  private static final Demand TENANTS = demand("tenants", Scope.TENANT, 10, 1000);

  @Nested
  class Newcomers {
    @Test
    void aNewcomerIsDeniedOnlyIfItDoesNotFitBesideWhatIsDue() {
      String ticket = ticket(asking(NEW));
      clock.advance(35 * SECOND / 100);
      assertThat(admittedNow()).isEqualTo(2);
      assertAdmitted(asking(ticket));
    }

    @Test
    void theCapacityOfAnAbsentCallerIsKeptWhileItsTicketIsGood() {
      String ticket = ticket(asking(NEW));
      long wait = slot(ticket) - clock.getAsLong() + IN_TIME;
      clock.advance(wait);
      assertThat(admittedNow()).isEqualTo(wait * 10 / SECOND - 1);
    }

    @Test
    void thePlaceOfAnAbsentCallerGoesToTheNextNewcomer() {
      String ticket = ticket(asking(NEW));
      long wait = slot(ticket) - clock.getAsLong() + IN_TIME + BIN;
      clock.advance(wait);
      assertThat(admittedNow()).isEqualTo(wait * 10 / SECOND);
      Decided late = decided(asking(ticket));
      assertThat(late.report().returned()).isIn(Returned.LATE, Returned.UNKNOWN);
      assertThat(late.decision()).isInstanceOf(Denied.class);
    }

    @Test
    void aCrowdThatNeverReturnsKeepsNothing() {
      tickets(76);
      clock.advance(9 * SECOND);
      assertThat(admittedNow()).isEqualTo(10);
    }

    @Test
    void noBucketAdmitsMoreThanItHolds() {
      RandomGenerator random = new Random(7);
      PlainBuckets judge = new PlainBuckets();
      judge.admitted("k1", TEN, 10, clock.passedMicros());
      List<String> known = new ArrayList<>(List.of(NEW));
      for (int i = 0; i < 400; i++) {
        clock.advance(random.nextLong(SECOND / 5));
        String shown = known.get(random.nextInt(known.size()));
        Charge charge = random.nextInt(4) == 0 ? withoutTicket() : asking(shown);
        if (decide(charge) instanceof Denied denied) {
          denied.ticket().ifPresent(known::add);
        } else {
          judge.admitted("k1", TEN, 1, clock.passedMicros());
        }
      }
    }
  }

  @Nested
  class WithoutTickets {
    @Test
    void aPromiseIsAWholeSecondAndKeptForWhoeverComesThen() {
      Demand longer = demand("long", Scope.KEY, 10, 2000);
      allowed(charge(20, longer));
      Charge plain = charge(1, longer).with(Queueing.of(SlotMode.RESERVE));
      SortedMap<Long, Integer> promises = promises(plain, 15);
      assertThat(promises).isNotEmpty();
      promises.forEach((moment, callers) -> {
        moveTo(moment);
        for (int i = 0; i < 30; i++) {
          decide(asking(NEW, longer));
        }
        for (int i = 0; i < callers; i++) {
          assertAdmitted(plain);
        }
      });
    }

    @Test
    void noTwoEstimatesAreTheSame() {
      Set<Long> estimates = new HashSet<>();
      int told = 0;
      for (int i = 0; i < 60; i++) {
        Denied denied = denied(withoutTicket());
        assertThat(denied.ticket()).isEmpty();
        if (denied.estimate()) {
          told++;
          estimates.add(denied.retryAfterMicros());
        }
      }
      assertThat(estimates).hasSize(told).hasSizeGreaterThan(20);
    }

    @Test
    void aFloodThatDoesNotWaitUsesAllOfTheRate() {
      Demand hundred = demand("hundred", Scope.KEY, 100, 1000);
      Charge plain = charge(1, hundred).with(Queueing.of(SlotMode.RESERVE));
      int admitted = 0;
      for (int i = 0; i < 5000; i++) {
        admitted += decide(plain) instanceof Allowed ? 1 : 0;
        clock.advance(2_000);
      }
      assertThat(admitted).isBetween(1090, 1100);
    }

    private SortedMap<Long, Integer> promises(Charge plain, int askers) {
      SortedMap<Long, Integer> promises = new TreeMap<>();
      for (int i = 0; i < askers; i++) {
        Denied denied = denied(plain);
        assertThat(denied.ticket()).isEmpty();
        if (!denied.estimate()) {
          assertThat(denied.retryAfterMicros() % SECOND).isZero();
          promises.merge(clock.getAsLong() + denied.retryAfterMicros(), 1, Integer::sum);
        }
      }
      return promises;
    }
  }

  @Nested
  class ManyBuckets {
    @Tag(TransportFacts.TAG)
    @Test
    void aRequestHasOnePlaceInAllOfHundredsOfBuckets() {
      Demand[] many = IntStream.range(0, 400)
          .mapToObj(i -> demand("bucket-" + i, Scope.KEY, 10, 1000))
          .toArray(Demand[]::new);
      allowed(charge(10, many));
      String ticket = ticket(asking(NEW, many));
      moveTo(slot(ticket));
      assertAdmitted(asking(ticket, many));
      denied(asking(ticket, many));
    }
  }

  @Nested
  class Modes {
    @Test
    void withoutSlotsAllCallersGetTheSameTime() {
      assertThat(denied(charge(1, TEN))).isEqualTo(denied(charge(1, TEN)));
    }

    @Test
    void estimatesAreSpacedByTheTimeOfACostAndComeWithoutTicket() {
      for (int i = 1; i <= 100; i++) {
        Denied denied = denied(in(SlotMode.ESTIMATE, asking(NEW)));
        assertThat(denied.estimate()).isTrue();
        assertThat(denied.ticket()).isEmpty();
        assertThat(denied.retryAfterMicros()).isEqualTo(i * SECOND / 10);
      }
    }

    @ParameterizedTest
    @EnumSource(
        value = SlotMode.class,
        names = {"ESTIMATE", "OFF"})
    void aTicketOfBeforeIsGoodInAPlanThatMakesNoPlaces(SlotMode mode) {
      String ticket = ticket(asking(NEW));
      moveTo(slot(ticket));
      assertAdmitted(in(mode, asking(ticket)));
    }
  }

  @Nested
  class SharedBuckets {
    // A key that has had its share leaves room for the others, so it is denied beside some that is
    // free.
    @Test
    void aPeekAnswersAsAChargeOfTheSameKeyWould() {
      RandomGenerator random = new Random(3);
      Demand shared = demand("shared", Scope.TENANT, 10, 5000);
      int denials = 0;
      for (int step = 0; step < 600; step++) {
        clock.advance(random.nextLong(SECOND / 10));
        Charge charge = of(
            random.nextInt(4) == 0 ? "k2" : "k1",
            charge(1, shared).with(Queueing.of(SlotMode.RESERVE)));
        Decision peeked = peek(charge);
        Decided decided = decided(charge);
        // A place that is due lets its caller pass.
        if (decided.report().returned() != Returned.KEPT) {
          assertThat(peeked).as("step %d", step).hasSameClassAs(decided.decision());
          denials += decided.decision() instanceof Denied ? 1 : 0;
        }
      }
      assertThat(denials).isGreaterThan(100);
    }

    @Test
    void aBucketOfTheTenantMakesPlaces() {
      allowed(charge(10, TENANTS));
      String ticket = ticket(asking(NEW, TENANTS));
      moveTo(slot(ticket));
      assertAdmitted(asking(ticket, TENANTS));
    }

    @Test
    void aBucketOfTheClusterMakesPlaces() {
      allowed(charge("globex", "k9", 1, 20, CLUSTER_TWENTY));
      String ticket = ticket(asking(NEW, CLUSTER_TWENTY));
      moveTo(slot(ticket));
      assertAdmitted(asking(ticket, CLUSTER_TWENTY));
    }

    @Test
    void aSharedBucketPromisesNothingBeyondTwoSeconds() {
      allowed(charge(10, TENANTS));
      int places = 0;
      for (int i = 0; i < 60; i++) {
        Denied denied = denied(asking(NEW, TENANTS));
        places += denied.estimate() ? 0 : 1;
        assertThat(denied.estimate() || denied.retryAfterMicros() <= 2 * SECOND + BIN)
            .isTrue();
      }
      assertThat(places).isPositive();
    }

    @Test
    void aKeyBeyondItsShareLeavesPlacesToAnother() {
      allowed(charge(10, TENANTS));
      for (int i = 0; i < 200; i++) {
        denied(asking(NEW, TENANTS));
      }
      Denied other = promised(of("k2", asking(NEW, TENANTS)));
      assertThat(other.retryAfterMicros()).isLessThanOrEqualTo(2 * SECOND + BIN);
      clock.advance(other.retryAfterMicros());
      assertAdmitted(of("k2", asking(ticketOf(other), TENANTS)));
    }

    @Test
    void aCallerWhosePlaceIsHeldByItsKeyAloneMovesOnceAtMost() {
      Demand slow = demand("slow", Scope.KEY, 1, 10_000);
      allowed(charge(10, slow));
      promised(asking(4, NEW, slow, TENANTS));
      String ticket = ticket(asking(NEW, slow, TENANTS));
      assertThat(slot(ticket) - clock.getAsLong()).isGreaterThan(3 * SECOND);
      moveTo(slot(ticket));
      allowed(of("k2", charge(10, TENANTS)));
      Decided moved = decided(asking(ticket, slow, TENANTS));
      assertThat(moved.report().returned()).isEqualTo(Returned.BROKEN);
      Denied again = (Denied) moved.decision();
      assertThat(again.estimate()).isFalse();
      assertThat(again.retryAfterMicros()).isLessThanOrEqualTo(2 * SECOND);
      clock.advance(again.retryAfterMicros());
      assertAdmitted(asking(ticketOf(again), slow, TENANTS));
    }
  }
}
