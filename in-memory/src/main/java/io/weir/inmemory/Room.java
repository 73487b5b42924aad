package io.weir.inmemory;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.KindDemand;
import io.weir.core.throttle.Charge;

/**
 * How many operations limits have room for now, for charges that accept a part of their cost. Lives for one charge.
 * {@code lua/lib/kinds/room.lua} has the same.
 */
final class Room {
  private final Charge charge;
  private final Memory memory;
  private final Look look;
  private final ModelRequest asked;

  Room(Charge charge, Memory memory, Look look) {
    this.charge = charge;
    this.memory = memory;
    this.look = look;
    this.asked = new ModelRequest(look.now(), charge.atLeast().cost(), 0, look::usedOf);
  }

  /** The most that all limits have room for, at a price of one. */
  long operations() {
    long ofBuckets = MostAtOnce.of(charge.demands(), Demand::overflow, this::ofBucket);
    long ofKinds = MostAtOnce.of(charge.extras().demands(), KindDemand::overflow, this::ofKind);
    return Math.min(ofBuckets, ofKinds);
  }

  /** The price in thousandths, before any bound. */
  long priceMillis() {
    return charge.extras().demands().stream()
        .mapToLong(demand -> KindModel.of(demand).priceMillis(stored(demand), asked))
        .reduce(Congestion.ONE, Math::max);
  }

  private long ofBucket(Demand demand) {
    long used = look.usedOf(demand.bucket().name());
    long free = Math.max(0, demand.bucket().capacityUnits() - used);
    if (demand.perRequest()) {
      return free >= demand.unitsPerOperation() ? Long.MAX_VALUE : 0;
    }
    return free / demand.unitsPerOperation();
  }

  private long ofKind(KindDemand demand) {
    long held = memory.held(owner(demand.scope()), demand.name(), look.now());
    KindModel model = KindModel.of(demand);
    return model.room(model.standing(stored(demand), asked.withHeld(held)).standing());
  }

  private Counter stored(KindDemand demand) {
    return memory.counter(owner(demand.scope()), demand.name(), look.now());
  }

  private Object owner(Scope scope) {
    return Memory.owner(charge, scope);
  }
}
