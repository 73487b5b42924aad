package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Decision.Reason;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.CalendarPeriods.Period;
import io.weir.core.kind.Extras;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Quota;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The promises of every store for the ids of reservations and for later debts. */
abstract class ReservationsContract extends RefundsContract {
  @Test
  void theSameReservationTwiceIsTakenOnce() {
    Demand tokens = perMinute("tokens", 100);
    Extras same = reserving();
    assertThat(ask(60, List.of(tokens), same)).isInstanceOf(Allowed.class);
    assertThat(ask(60, List.of(tokens), same)).isInstanceOf(Allowed.class);
    assertThat(ask(40, List.of(tokens), reserving())).isInstanceOf(Allowed.class);
    assertThat(ask(1, List.of(tokens), reserving())).isInstanceOf(Denied.class);
  }

  @Test
  void theIdOfAnOpenReservationPassesNoOtherRequest() {
    Demand tokens = perMinute("tokens", 100);
    Demand other = perMinute("other", 10);
    Extras first = reused(reserving(), "Ask:1");
    assertThat(ask(1, List.of(tokens), first)).isInstanceOf(Allowed.class);
    for (int i = 0; i < 2; i++) {
      NeverAllowed dearer = (NeverAllowed) ask(1000, List.of(tokens), reused(first, "Ask:1000"));
      assertThat(dearer.reason()).isEqualTo(Reason.RESERVATION_ID_REUSED);
      NeverAllowed another = (NeverAllowed) ask(1, List.of(other), reused(first, "Gas:1"));
      assertThat(another.reason()).isEqualTo(Reason.RESERVATION_ID_REUSED);
      assertThat(ask(1, List.of(tokens), first)).isInstanceOf(Allowed.class);
    }
    // Only the one was taken.
    assertThat(ask(99, List.of(tokens), Extras.NONE)).isInstanceOf(Allowed.class);
    assertThat(ask(10, List.of(other), Extras.NONE)).isInstanceOf(Allowed.class);
    end(List.of(tokens), first, new Ending.Cancelled());
    NeverAllowed ended = (NeverAllowed) ask(1, List.of(other), reused(first, "Gas:1"));
    assertThat(ended.reason()).isEqualTo(Reason.RESERVATION_ENDED);
  }

  @Test
  void keysThatUseTheSameIdHoldAPermitEach() {
    List<KindDemand> permits = List.of(permits(2));
    Extras mine = reused(held(permits, true, false), "Stream:1");
    assertThat(ask(1, List.of(), mine)).isInstanceOf(Allowed.class);
    assertThat(askAs("k2", mine)).isInstanceOf(Allowed.class);
    assertThat(ask(1, List.of(), held(permits, true, false))).isInstanceOf(Denied.class);
    // One of them ends: the other one keeps its permit, and can renew it.
    end(List.of(), mine, new Ending.Cancelled());
    assertThat(renewAs("k2", mine)).isTrue();
    assertThat(ask(1, List.of(), held(permits, true, false))).isInstanceOf(Allowed.class);
    assertThat(ask(1, List.of(), held(permits, true, false))).isInstanceOf(Denied.class);
  }

  @Test
  void permitsAreFreedAloneAndTheReservationStaysForAnotherEnd() {
    Demand tokens = perMinute("tokens", 100);
    List<KindDemand> permits = List.of(permits(1));
    Extras first = held(permits, true, false);
    assertThat(ask(60, List.of(tokens), first)).isInstanceOf(Allowed.class);
    assertThat(ask(1, List.of(tokens), held(permits, false, false))).isInstanceOf(Denied.class);
    for (Ended.Status status : List.of(Ended.Status.RELEASED, Ended.Status.UNKNOWN_HOLD)) {
      Ended freed = end(List.of(tokens), first, new Ending.Released());
      assertThat(freed).isEqualTo(new Ended(status, false, 0));
    }
    assertThat(ask(1, List.of(tokens), held(permits, false, false))).isInstanceOf(Allowed.class);
    assertThat(used(tokens)).isEqualTo(61);
    Ended settled = end(List.of(tokens), first, new Ending.Settled(10));
    assertThat(settled).isEqualTo(new Ended(Ended.Status.SETTLED, false, 10));
    assertThat(used(tokens)).isEqualTo(11);
    // The other one still has its permit.
    assertThat(ask(1, List.of(tokens), held(permits, false, false))).isInstanceOf(Denied.class);
  }

  @Test
  void aDebtGoesToThePresentPeriodOfAQuota() {
    Quota days = new Quota(
        "days",
        Scope.KEY,
        100,
        new CalendarPeriods(Period.DAY, ZoneId.of("UTC"), 1),
        false,
        80,
        false,
        false);
    Extras asked = new Extras(List.of(days), Optional.empty());
    Extras first = held(List.of(days), true, false);
    Extras second = held(List.of(days), true, false);
    assertThat(ask(10, List.of(), first)).isInstanceOf(Allowed.class);
    assertThat(ask(10, List.of(), second)).isInstanceOf(Allowed.class);
    clock().advance(3 * 86_400 * SECOND);
    end(List.of(), first, new Ending.Settled(70));
    assertThat(ask(41, List.of(), asked)).isInstanceOf(Denied.class);
    assertThat(ask(10, List.of(), asked)).isInstanceOf(Allowed.class);
    end(List.of(), second, new Ending.Settled(40));
    assertThat(ask(1, List.of(), asked)).isInstanceOf(Denied.class);
  }

  // Settling changes the usage of a period, never its end.
  @Test
  void anEndUnderAnotherPolicyLeavesAQuotaItsPeriod() {
    for (long actual : new long[] {0, 2, 4}) {
      make();
      Extras old = held(List.of(period(10)), true, false);
      assertThat(ask(2, List.of(), old)).isInstanceOf(Allowed.class);
      Extras asked = new Extras(List.of(period(3600)), Optional.empty());
      assertThat(ask(94, List.of(), asked)).isInstanceOf(Allowed.class);
      end(List.of(), old, new Ending.Settled(actual));
      clock().advance(11 * SECOND);
      assertThat(ask(5, List.of(), asked)).isInstanceOf(Denied.class);
    }
  }

  private static Quota period(long seconds) {
    return new Quota(
        "period", Scope.KEY, 100, new FixedPeriods(1000 * seconds, true), false, 80, false, false);
  }
}
