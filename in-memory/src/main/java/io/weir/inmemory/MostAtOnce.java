package io.weir.inmemory;

import io.weir.core.bucket.Demand;
import io.weir.core.kind.KindDemand;
import io.weir.core.throttle.Charge;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/** The most operations that one request can be charged, as every limit of it would be empty. */
final class MostAtOnce {
  private MostAtOnce() {}

  /** The most that every limit holds; of a limit and its overflow, the larger. */
  static long of(Charge charge) {
    return Math.min(
        of(charge.demands(), Demand::overflow, MostAtOnce::of),
        of(
            charge.extras().demands(),
            KindDemand::overflow,
            kind -> KindModel.of(kind).mostAtOnce()));
  }

  private static long of(Demand demand) {
    return demand.perRequest()
        ? Long.MAX_VALUE
        : demand.bucket().capacityUnits() / demand.unitsPerOperation();
  }

  /** The same by what each limit admits; of a limit and its overflow, the larger. */
  static <T> long of(List<T> limits, Predicate<T> isOverflow, ToLongFunction<T> mostAtOnce) {
    long most = Long.MAX_VALUE;
    for (int i = 0; i < limits.size(); i++) {
      if (!isOverflow.test(limits.get(i))) {
        boolean hasOther = i + 1 < limits.size() && isOverflow.test(limits.get(i + 1));
        long other = hasOther ? mostAtOnce.applyAsLong(limits.get(i + 1)) : 0;
        most = Math.min(most, Math.max(mostAtOnce.applyAsLong(limits.get(i)), other));
      }
    }
    return most;
  }
}
