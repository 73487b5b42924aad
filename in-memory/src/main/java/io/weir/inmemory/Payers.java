package io.weir.inmemory;

import io.weir.core.bucket.Demand;
import java.util.ArrayList;
import java.util.List;

/**
 * Selects the buckets that pay for a request: of a bucket and its overflow, the first that has room; if neither has,
 * the one that has room earlier. A caller with a place pays where its place is.
 *
 * @param demands those that pay
 * @param paid which of the overflows pay: a bit for each pair, from the lowest on
 */
record Payers(List<Demand> demands, long paid) {

  static Payers of(List<BucketView> views) {
    List<Demand> payers = new ArrayList<>();
    long paid = 0;
    long bit = 1;
    for (int i = 0; i < views.size(); i++) {
      Demand demand = views.get(i).demand();
      if (demand.overflow()) {
        continue;
      }
      boolean hasOverflow = i + 1 < views.size() && views.get(i + 1).demand().overflow();
      boolean isOther = hasOverflow && overflows(views.get(i), views.get(i + 1));
      payers.add(isOther ? views.get(i + 1).demand() : demand);
      paid += isOther ? bit : 0;
      bit *= hasOverflow ? 2 : 1;
    }
    return new Payers(payers, paid);
  }

  /** The demands that paid for a ticket. */
  static Payers by(List<Demand> demands, long paid) {
    List<Demand> payers = new ArrayList<>();
    long left = paid;
    for (int i = 0; i < demands.size(); i++) {
      boolean hasOverflow = Demand.hasOverflow(demands, i);
      if (!demands.get(i).overflow()) {
        payers.add(demands.get(hasOverflow && left % 2 == 1 ? i + 1 : i));
        left = hasOverflow ? left / 2 : left;
      }
    }
    return new Payers(payers, paid);
  }

  private static boolean overflows(BucketView first, BucketView other) {
    if (first.isNever() || other.isNever()) {
      return first.isNever();
    }
    return !first.hasRoom()
        && (other.hasRoom() || other.newcomerWaitMicros() < first.newcomerWaitMicros());
  }
}
