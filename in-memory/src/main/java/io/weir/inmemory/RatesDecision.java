package io.weir.inmemory;

import io.weir.core.decision.Verdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.slot.QueueReport;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotMode;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.List;

/** The decision of the rates of one charge, as an answer; and its effects. Lives for one charge. */
final class RatesDecision {
  private final Look look;
  private final Charge charge;
  private final Verdict verdict;
  private final List<BucketView> views;
  private final SlotDecision slots;

  /** @param cost in operations, with its price */
  RatesDecision(Look look, Charge charge, Payers payers, long cost) {
    this.look = look;
    this.charge = charge;
    this.verdict = new Verdict(charge.revision(), payers.demands(), cost);
    this.views = look.views(payers.demands(), cost);
    this.slots = look.decision(views, cost, payers.paid());
  }

  Verdict verdict() {
    return verdict;
  }

  boolean isNever() {
    return views.stream().anyMatch(BucketView::isNever);
  }

  boolean isForTicket() {
    return slots.isForTicket();
  }

  /** The answer if a cost is above its capacity. */
  Decided never() {
    return new Decided(
        verdict.decision(Outcome.NEVER_ALLOWED, shown(), Wait.NONE), QueueReport.NONE);
  }

  /** The answer with no regard for others who wait. */
  Decided alone() {
    return decided(slots.alone());
  }

  Decided peek() {
    return decided(slots.peek());
  }

  Decided decide() {
    SlotDecision.Result result = slots.decide();
    boolean hasChanged = result.isAdmitted()
        || charge.slots() != SlotMode.OFF
        || result.returned() == Returned.BROKEN;
    if (hasChanged) {
      look.commit(views);
    } else {
      look.commitCarried(views);
    }
    return decided(result);
  }

  private Decided decided(SlotDecision.Result result) {
    Outcome outcome = result.isAdmitted() ? Outcome.ALLOWED : Outcome.DENIED;
    Wait wait = new Wait(result.waitMicros(), result.estimate(), result.ticket());
    QueueReport report = new QueueReport(result.returned(), result.made());
    return new Decided(
        verdict.decision(outcome, shown(), result.isAdmitted() ? Wait.NONE : wait), report);
  }

  long[] shown() {
    return views.stream().mapToLong(BucketView::shownUnits).toArray();
  }
}
