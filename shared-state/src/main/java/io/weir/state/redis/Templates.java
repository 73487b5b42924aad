package io.weir.state.redis;

import io.weir.bucket.Demand;
import io.weir.state.redis.wire.ChargeTemplate;
import io.weir.throttle.Charge;
import java.util.IdentityHashMap;
import java.util.List;

/** The templates of all that is sent on one link. Mutable; used on its event loop. */
final class Templates {
  private static final int MAX_TEMPLATES = 4096;

  private final IdentityHashMap<List<Demand>, ChargeTemplate> known = new IdentityHashMap<>();
  private long batches;

  ChargeTemplate of(Charge charge) {
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

  /** The number of a batch; a template knows by it whether it stands there already. */
  long nextBatch() {
    return ++batches;
  }
}
