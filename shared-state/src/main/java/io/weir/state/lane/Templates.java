package io.weir.state.lane;

import io.weir.core.bucket.Demand;
import io.weir.core.kind.KindDemand;
import io.weir.core.throttle.Charge;
import io.weir.state.wire.Batch;
import io.weir.state.wire.ChargeTemplate;
import io.weir.state.wire.Lane;
import io.weir.state.wire.OthersTemplate;
import io.weir.state.wire.PendingCharge;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The templates of all charges sent on one link. Mutable; used on its event loop. */
final class Templates {
  private static final int MAX_TEMPLATES = 4096;

  private final IdentityHashMap<List<Demand>, ChargeTemplate> known = new IdentityHashMap<>();
  private final IdentityHashMap<List<KindDemand>, OthersTemplate> others = new IdentityHashMap<>();
  private long batches;

  private ChargeTemplate of(Charge charge) {
    ChargeTemplate template = known.get(charge.demands());
    if (template != null && template.areOf(charge)) {
      return template;
    }
    if (known.size() >= MAX_TEMPLATES) {
      known.clear();
    }
    ChargeTemplate made = new ChargeTemplate(charge);
    known.put(charge.demands(), made);
    return made;
  }

  /**
   * Adds a charge to a batch, unless the batch is full, with those that are decided as one with it: either all of
   * them, or none.
   *
   * @return what it weighs, or {@link Batch#FULL}
   */
  int add(PendingCharge pending, Batch batch, Lane lane, RedisClock clock) {
    if (pending.companions().isEmpty()) {
      return batch.add(pending, of(pending.charge()), others(pending, lane, clock));
    }
    List<Runnable> joins = new ArrayList<>(pending.companions().size());
    for (PendingCharge other : pending.companions()) {
      ChargeTemplate template = of(other.charge());
      OthersTemplate others = others(other, lane, clock);
      joins.add(() -> batch.join(other, template, others));
    }
    int weight = batch.add(pending, of(pending.charge()), others(pending, lane, clock));
    if (weight != Batch.FULL) {
      joins.forEach(Runnable::run);
    }
    return weight;
  }

  /** The demands of a charge other than rates; null if there are none. */
  private @Nullable OthersTemplate others(PendingCharge pending, Lane lane, RedisClock clock) {
    List<KindDemand> demands = pending.charge().extras().demands();
    if (!lane.hasOthers() || demands.isEmpty()) {
      return null;
    }
    long atMicros = pending.clockMicros() < 0 ? clock.micros() : pending.clockMicros();
    OthersTemplate template = others.get(demands);
    if (template != null && template.isOf(demands, atMicros)) {
      return template;
    }
    if (others.size() >= MAX_TEMPLATES) {
      others.clear();
    }
    OthersTemplate made = new OthersTemplate(demands, atMicros);
    others.put(demands, made);
    return made;
  }

  /** The number of a batch, by which a template knows whether it is already in the batch. */
  long nextBatch() {
    return ++batches;
  }
}
