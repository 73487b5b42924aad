package io.weir.inmemory;

import io.weir.core.decision.Decision.Allowed;
import io.weir.core.kind.Hold;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;

/**
 * A charge that accepts less than its cost: it takes the most that all of its limits have room for now. It takes the
 * least if it shows a ticket, whose place is for that, and if others wait for one of its buckets: what is left is due to
 * them. Lives for one charge. {@code lua/lib/kinds/partial.lua} has the same.
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
    long least = Math.min(charge.atLeast().cost(), MAX_COST);
    long fitting = Math.min(charge.cost(), MostAtOnce.of(charge));
    long most = Math.max(least, Math.min(fitting, MAX_COST));
    Look look = new Look(charge, memory, nowMicros);
    if ((charge.ticket().shown().isPresent() && !isPeek) || isQueued(look)) {
      return least;
    }
    Room room = new Room(charge, memory, look);
    long operations = room.operations();
    long price = room.priceMillis();
    long bounded = CongestionModel.bounded(price, most, MostAtOnce.of(charge));
    return CongestionModel.priced(most, bounded) <= operations
        ? most
        : Math.max(least, Math.min(most, CongestionModel.unpriced(operations, price)));
  }

  private boolean isQueued(Look look) {
    return look.views(charge.demands(), charge.atLeast().cost()).stream()
        .anyMatch(view -> view.maybeCalendar().isPresent());
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
