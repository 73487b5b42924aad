package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Limit;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;

/** The questions of the contracts of places to a store. Each test begins with a full bucket. */
abstract class SlotsFixture extends StoreContract {
  /** The width of a bin of {@link #TEN}, for three of which a place is kept. */
  static final long BIN = SECOND / 8;

  /** How long after its slot a ticket is good, at least. */
  static final long IN_TIME = 2 * BIN;

  /** In place of a ticket: none is shown. */
  static final String NEW = "";

  private int secrets;

  @BeforeEach
  void fill() {
    allowed(charge(10, TEN));
  }

  final Charge withoutTicket() {
    return charge(1, TEN).with(Queueing.of(SlotMode.RESERVE));
  }

  final Charge asking(String shown) {
    return asking(shown, TEN);
  }

  final Charge asking(String shown, Demand... demands) {
    return asking(1, shown, demands);
  }

  final Charge asking(long cost, Demand demand, String shown) {
    return asking(cost, shown, demand);
  }

  final Charge asking(long cost, String shown, Demand... demands) {
    TicketRequest ticket = TicketRequest.wanted(
        Optional.of(shown).filter(text -> !text.isEmpty()), "%022d".formatted(secrets++));
    return charge(cost, demands).with(new Queueing(SlotMode.RESERVE, ticket));
  }

  static Charge of(String subject, Charge charge) {
    return new Charge(
        charge.tenant(), subject, 1, charge.amount(), charge.queueing(), charge.failureMode());
  }

  static Charge revised(Charge charge) {
    return new Charge(
        charge.tenant(),
        charge.subject(),
        2,
        charge.amount(),
        charge.queueing(),
        charge.failureMode());
  }

  static Charge in(SlotMode mode, Charge charge) {
    return charge.with(new Queueing(mode, charge.ticket()));
  }

  // Sorted by slot.
  final List<String> tickets(int callers) {
    List<String> tickets = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      tickets.add(ticket(asking(NEW)));
    }
    tickets.sort(Comparator.naturalOrder());
    return tickets;
  }

  final String ticket(Charge charge) {
    return ticketOf(promised(charge));
  }

  static String ticketOf(Denied denied) {
    return denied.ticket().orElseThrow();
  }

  static long slot(String ticket) {
    return Long.parseLong(ticket.substring(0, 16));
  }

  final void moveTo(long instant) {
    clock.advance(instant - clock.getAsLong());
  }

  final Denied promised(Charge charge) {
    Denied denied = denied(charge);
    assertThat(denied.estimate()).isFalse();
    return denied;
  }

  final void assertAdmitted(Charge charge) {
    Decided decided = decided(charge);
    assertThat(decided.decision()).isInstanceOf(Allowed.class);
    assertThat(decided.report().returned()).isEqualTo(Returned.KEPT);
  }

  final Returned returned(Charge charge) {
    return decided(charge).report().returned();
  }

  final Decided decided(Charge charge) {
    return (Decided) answer(charge);
  }

  // How many newcomers of cost 1 fit beside all that is due.
  final long admittedNow() {
    long admitted = 0;
    while (decide(charge(1, TEN)) instanceof Allowed) {
      admitted++;
    }
    return admitted;
  }

  static List<String> names(List<Limit> limits) {
    return limits.stream().map(Limit::bucket).toList();
  }
}
