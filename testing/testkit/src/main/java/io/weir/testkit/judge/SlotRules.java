package io.weir.testkit.judge;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.throttle.Charge;

/** The promises of {@code docs/explanation/slots.md} about places, in times that hold for each kind of bins. */
final class SlotRules {
  /** A clock that is set back by so much ends the places of no bucket: 50 bins of a millisecond. */
  static final long KEPT_WHEN_SET_BACK = 50_000;

  private static final long SECOND = 1_000_000;
  private static final long LEAST_WIDTH = 1000;
  private static final long WIDEST = SECOND / 4;
  private static final long YEAR = 31_536_000 * SECOND;
  /** Bounds for a place in a shared bucket: the turns and intervals, in which callers that waited are counted. */
  private static final long SHARED_WIDTHS = 200;

  private static final long SHARED_NEEDS = 70;
  private static final long SHARED_OPERATIONS = 16;
  private static final long SHARED_MICROS = 100 * SECOND;
  private static final long OWN_WIDTHS = 4;
  /** An estimate is remembered until the next whole second, and for the time of the next request. */
  private static final long WHOLE_SECOND = SECOND + SECOND / 10;

  private SlotRules() {}

  /** For how long after its slot a place is kept at least: for the width of a fine bin. */
  static long keptMicros(Charge charge) {
    return charge.demands().stream()
        .map(Demand::bucket)
        .mapToLong(bucket -> bounded(
            bucket.burstMillis() * 1000 / 32, Math.max(WIDEST, operationMicros(bucket) / 8)))
        .min()
        .orElse(0);
  }

  /** How long after its slot a place may be kept at most, or whoever waited for it be remembered. */
  static long rememberedMicros(Demand demand, long cost) {
    Bucket bucket = demand.bucket();
    long widest = widestMicros(bucket);
    return bucket.scope() == Scope.KEY
        ? OWN_WIDTHS * widest + WHOLE_SECOND
        : turnsMicros(demand, cost, widest);
  }

  /** How long after its slot anything of whoever waited may be remembered, in buckets of any scope. */
  static long calmMicros(Demand demand, long cost) {
    return 2 * turnsMicros(demand, cost, widestMicros(demand.bucket()));
  }

  private static long turnsMicros(Demand demand, long cost, long widest) {
    Bucket bucket = demand.bucket();
    long need = Math.min(YEAR, cost * demand.unitsPerOperation() / bucket.unitsPerMicro() + 1);
    return SHARED_WIDTHS * widest
        + SHARED_NEEDS * need
        + SHARED_OPERATIONS * operationMicros(bucket)
        + SHARED_MICROS;
  }

  /**
   * How long the first charge after that still leaves room for others in a shared bucket: what was claimed is counted
   * only then, and is forgotten after ten seconds, or one operation.
   */
  static long lingersMicros(Bucket bucket) {
    return bucket.scope() == Scope.KEY ? 0 : Math.max(10 * SECOND, operationMicros(bucket));
  }

  private static long widestMicros(Bucket bucket) {
    return bounded(bucket.burstMillis() * 1000 / 8, Math.max(WIDEST, operationMicros(bucket)));
  }

  private static long bounded(long width, long most) {
    return Math.max(LEAST_WIDTH, Math.min(width, most));
  }

  private static long operationMicros(Bucket bucket) {
    return bucket.rate().microsPerOperation();
  }
}
