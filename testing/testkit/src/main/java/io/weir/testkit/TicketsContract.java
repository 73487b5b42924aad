package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotMode;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The promises of every {@link io.weir.core.throttle.BucketStore} to the holders of tickets. */
abstract class TicketsContract extends SlotsFixture {
  @Nested
  class Returns {
    @Test
    void eachCallerGetsASlotOfItsOwnAtMostABinAfterItsExactTurn() {
      Set<Long> slots = new HashSet<>();
      for (int i = 1; i <= 20; i++) {
        Denied denied = promised(asking(NEW));
        assertThat(denied.retryAfterMicros()).isBetween(i * SECOND / 10, i * SECOND / 10 + BIN);
        slots.add(slot(ticketOf(denied)));
      }
      assertThat(slots).hasSize(20);
    }

    @Tag(TransportFacts.TAG)
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 20_000, IN_TIME - 1})
    void aCallerInTimeIsAdmittedAtItsFirstReturn(long lateness) {
      for (String ticket : tickets(20)) {
        moveTo(slot(ticket) + lateness);
        assertAdmitted(asking(ticket));
      }
    }

    @Test
    void whatIsKeptForOneRequestIsNotTakenByManyOfALowerCost() {
      Demand once = new Demand(TEN.bucket(), TEN.unitsPerOperation(), true, false);
      Queueing withoutTicket = Queueing.of(SlotMode.RESERVE);
      Denied moment = promised(charge(10, once).with(withoutTicket));
      List<String> tickets = IntStream.range(0, 12)
          .mapToObj(i -> denied(asking(NEW)))
          .filter(denied -> denied.retryAfterMicros() > SECOND && !denied.estimate())
          .map(SlotsFixture::ticketOf)
          .toList();
      clock.advance(moment.retryAfterMicros());
      for (int i = 0; i < 14; i++) {
        decide(charge(1, once).with(withoutTicket));
      }
      for (String ticket : tickets) {
        moveTo(slot(ticket));
        assertAdmitted(asking(ticket));
      }
    }

    @Test
    void anEarlyCallerKeepsItsTicketAndMovesNoOther() {
      String first = ticket(asking(NEW));
      String second = ticket(asking(NEW));
      for (int i = 0; i < 100; i++) {
        Decided early = decided(asking(second));
        assertThat(early.report().returned()).isEqualTo(Returned.EARLY);
        Denied denied = (Denied) early.decision();
        assertThat(denied.ticket()).hasValue(second);
        assertThat(denied.retryAfterMicros()).isEqualTo(slot(second) - clock.getAsLong());
      }
      moveTo(slot(first));
      assertAdmitted(asking(first));
      moveTo(slot(second));
      assertAdmitted(asking(second));
    }

    @Test
    void anEarlyCallerIsAdmittedIfThereIsRoom() {
      String ticket = tickets(2).get(1);
      clock.advance(2 * SECOND / 10);
      assertThat(clock.getAsLong()).isLessThan(slot(ticket));
      assertAdmitted(asking(ticket));
      assertThat(returned(asking(ticket))).isEqualTo(Returned.UNKNOWN);
    }

    @Tag(TransportFacts.TAG)
    @Test
    void aTicketWorksOnce() {
      String ticket = ticket(asking(NEW));
      moveTo(slot(ticket));
      assertAdmitted(asking(ticket));
      assertThat(returned(asking(ticket))).isEqualTo(Returned.UNKNOWN);
    }

    @Test
    void aTicketOfAnotherCallerOrRequestIsUnknown() {
      String ticket = ticket(asking(NEW));
      moveTo(slot(ticket));
      String forged = ticket.substring(0, ticket.length() - 20) + "0".repeat(20);
      String later = (slot(ticket) + SECOND) + ticket.substring(16);
      assertThat(returned(asking(forged))).isEqualTo(Returned.UNKNOWN);
      assertThat(returned(asking(later))).isEqualTo(Returned.UNKNOWN);
      assertThat(returned(of("k2", asking(ticket)))).isEqualTo(Returned.UNKNOWN);
      assertThat(returned(asking(2, TEN, ticket))).isEqualTo(Returned.UNKNOWN);
      assertAdmitted(asking(ticket));
    }

    @Test
    void aMalformedTicketIsTreatedAsAbsent() {
      assertThat(returned(asking("a ticket, honestly"))).isEqualTo(Returned.NOT);
    }

    @Test
    void aCostAboveHalfTheCapacityGetsAPlaceBehindOthers() {
      String small = ticket(asking(NEW));
      String large = ticket(asking(8, TEN, NEW));
      String next = ticket(asking(NEW));
      assertThat(slot(large) - clock.getAsLong()).isBetween(9 * SECOND / 10, 9 * SECOND / 10 + BIN);
      moveTo(slot(small));
      assertAdmitted(asking(small));
      moveTo(slot(large));
      assertAdmitted(asking(8, TEN, large));
      moveTo(slot(next));
      assertAdmitted(asking(next));
    }

    @Test
    void beyondTheLastBinEachCallerGetsAnEstimateOfItsOwn() {
      Set<Long> times = new HashSet<>();
      for (int i = 1; i <= 100; i++) {
        Denied denied = denied(asking(NEW));
        assertThat(denied.estimate()).isEqualTo(i > 76);
        assertThat(denied.retryAfterMicros()).isBetween(i * SECOND / 10, i * SECOND / 10 + BIN);
        times.add(denied.retryAfterMicros());
      }
      assertThat(times).hasSize(100);
    }

    @Test
    void theTicketOfAnEstimateIsGoodForNoAdmission() {
      tickets(76);
      Denied estimate = denied(asking(NEW));
      String ticket = ticketOf(estimate);
      Decided early = decided(asking(ticket));
      assertThat(early.report().returned()).isEqualTo(Returned.EARLY);
      assertThat(early.decision()).isEqualTo(estimate);
      moveTo(slot(ticket));
      assertThat(admittedNow()).isPositive();
      Decided late = decided(asking(ticket));
      assertThat(late.decision()).isInstanceOf(Denied.class);
      assertThat(late.report().returned()).isEqualTo(Returned.NOT);
    }

    @Test
    void aCallerPaysFromTheBucketThatHoldsItsPlace() {
      Demand fast = demand("fast", Scope.KEY, 20, 1000);
      Demand other = new Demand(fast.bucket(), fast.unitsPerOperation(), false, true);
      allowed(charge(20, fast));
      Denied denied = promised(asking(NEW, TEN, other));
      assertThat(names(denied.limits())).containsExactly("fast");
      clock.advance(denied.retryAfterMicros() + SECOND / 20);
      Allowed newcomer = allowed(asking(NEW, TEN, other));
      assertThat(names(newcomer.limits())).containsExactly("ten");
      Decided back = decided(asking(ticketOf(denied), TEN, other));
      assertThat(back.report().returned()).isEqualTo(Returned.KEPT);
      assertThat(names(back.decision().limits())).containsExactly("fast");
    }

    @Test
    void aPeekUsesNoTicketUp() {
      String ticket = ticket(asking(NEW));
      moveTo(slot(ticket));
      for (int i = 0; i < 3; i++) {
        peek(asking(ticket));
        assertThat(peek(asking(NEW))).isInstanceOf(Denied.class);
      }
      assertAdmitted(asking(ticket));
    }
  }

  @Nested
  class Changes {
    @ParameterizedTest
    @ValueSource(longs = {500, 2000})
    void anotherBurstEndsTheCalendar(long burstMillis) {
      String ticket = ticket(asking(NEW));
      clock.advance(SECOND / 10);
      Demand changed = demand("ten", Scope.KEY, 10, burstMillis);
      assertThat(returned(revised(asking(ticket, changed)))).isEqualTo(Returned.UNKNOWN);
    }

    @Test
    void anotherRateEndsTheCalendar() {
      String ticket = ticket(asking(NEW));
      clock.advance(SECOND / 10);
      Decided decided = decided(revised(asking(ticket, demand("ten", Scope.KEY, 20, 1000))));
      assertThat(decided.report().returned()).isEqualTo(Returned.UNKNOWN);
      assertThat(decided.decision()).isInstanceOf(Allowed.class);
    }

    @Test
    void anotherRevisionWithTheSameBucketsKeepsTickets() {
      String ticket = ticket(asking(NEW));
      moveTo(slot(ticket));
      assertAdmitted(revised(asking(ticket)));
    }

    @Test
    void anotherBucketWithAnotherRateKeepsTickets() {
      allowed(charge("acme", "k1", 1, 1, demand("other", Scope.KEY, 10, 1000)));
      String ticket = ticket(asking(NEW));
      moveTo(slot(ticket));
      allowed(revised(charge(1, demand("other", Scope.KEY, 20, 1000))));
      assertAdmitted(revised(asking(ticket)));
    }

    @Test
    void aSmallStepBackOfTheClockKeepsTickets() {
      String ticket = ticket(asking(NEW));
      moveTo(slot(ticket));
      clock.advance(-SECOND / 2);
      Denied early = denied(asking(ticket));
      assertThat(early.ticket()).hasValue(ticket);
      clock.advance(early.retryAfterMicros());
      assertAdmitted(asking(ticket));
    }

    @Test
    void aLargeStepBackOfTheClockEndsTheCalendar() {
      List<String> tickets = tickets(20);
      clock.advance(-3600 * SECOND);
      Decided unknown = decided(asking(tickets.get(0)));
      assertThat(unknown.report().returned()).isEqualTo(Returned.UNKNOWN);
      Denied denied = (Denied) unknown.decision();
      assertThat(denied.retryAfterMicros()).isLessThanOrEqualTo(SECOND / 10 + BIN);
      clock.advance(denied.retryAfterMicros());
      assertAdmitted(asking(ticketOf(denied)));
    }

    // Bins of a millisecond are more than 2³¹ by then.
    @Test
    void aCalendarThatNobodyTouchedForAMonthIsOver() {
      long month = 30 * 24 * 3600 * SECOND;
      Demand fine = demand("fine", Scope.KEY, 1000, 8);
      Demand slow =
          Demand.of(new Bucket("slow", Scope.KEY, new Rate(1, month / 1000), month / 1000));
      allowed(charge(8, fine, slow));
      ticket(asking(NEW, fine, slow));
      clock.advance(month);
      allowed(charge(1, fine, slow));
    }

    @Test
    void aStepForwardMakesTicketsLateAndGainsAtMostOneBurst() {
      List<String> tickets = tickets(20);
      clock.advance(3600 * SECOND);
      assertThat(admittedNow()).isEqualTo(10);
      assertThat(returned(asking(tickets.get(19)))).isEqualTo(Returned.LATE);
    }
  }
}
