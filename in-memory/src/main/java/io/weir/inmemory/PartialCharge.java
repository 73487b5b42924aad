package io.weir.inmemory;

import io.weir.core.decision.Decision.Allowed;
import io.weir.core.kind.Hold;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;

/**
 * A charge that accepts less than its cost: it takes the most that all of its limits have now, found by bisection. It
 * takes the least if it shows a ticket, whose place is for that, and if others wait for one of its buckets: what is left
 * is due to them. Lives for one charge. {@code lua/lib/kinds/partial.lua} has the same.
 */
final class PartialCharge {
  // The largest cost that a script accepts.
  private static final long MAX_COST = (1L << 53) - 1;

  private final Charge charge;
  private final Memory memory;
  private final long nowMicros;
  private final boolean isPeek;

  PartialCharge(Charge charge, Memory memory, long nowMicros, boolean isPeek) {
    this.charge = charge;
    this.memory = memory;
    this.nowMicros = nowMicros;
    this.isPeek = isPeek;
  }

  StoreAnswer decide() {
    long amount = amount();
    StoreAnswer answer =
        new MixedCharge(charge.granted(amount), memory, nowMicros, isPeek).decide();
    return answer instanceof Decided decided && decided.decision() instanceof Allowed allowed
        ? new Decided(
            allowed.withGranted(decided.isRepeated() ? reserved() : amount),
            decided.report(),
            decided.isRepeated())
        : answer;
  }

  // If not even the least has room, that is denied.
  private long amount() {
    long low = Math.min(charge.atLeast().cost(), MAX_COST);
    long fitting = Math.min(charge.cost(), MostAtOnce.of(charge));
    long high = Math.max(low, Math.min(fitting, MAX_COST));
    if ((charge.ticket().shown().isPresent() && !isPeek) || isQueued()) {
      return low;
    } else if (fits(high)) {
      return high;
    } else if (!fits(low)) {
      return low;
    }
    while (high - low > 1) {
      long middle = low + (high - low) / 2;
      if (fits(middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private boolean isQueued() {
    return new Look(charge, memory, nowMicros)
        .views(charge.demands(), charge.atLeast().cost()).stream()
            .anyMatch(view -> view.maybeCalendar().isPresent());
  }

  private boolean fits(long cost) {
    return new MixedCharge(charge.granted(cost), memory, nowMicros, true).decide()
            instanceof Decided decided
        && decided.decision() instanceof Allowed
        && !decided.isRepeated();
  }

  private long reserved() {
    String id = charge.extras().hold().map(Hold::id).orElseThrow();
    return memory
        .reservation(charge.tenant(), charge.subject(), id, nowMicros)
        .orElseThrow()
        .reservation()
        .cost();
  }
}
