package io.weir.model;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Selects the buckets that pay for a request: of a bucket and its overflow, the first that is ready; if neither is, the
 * one that is ready earlier. A caller with a place pays where its place is.
 */
final class Payers {
  private Payers() {}

  static List<Demand> of(List<Demand> demands, List<BucketTurn> turns, Optional<Place> mine) {
    List<Demand> payers = new ArrayList<>();
    for (int i = 0; i < demands.size(); i++) {
      if (!demands.get(i).overflow()) {
        boolean isOther =
            Demand.hasOverflow(demands, i) && overflows(turns.get(i), turns.get(i + 1), mine);
        payers.add(demands.get(isOther ? i + 1 : i));
      }
    }
    return payers;
  }

  private static boolean overflows(BucketTurn first, BucketTurn other, Optional<Place> mine) {
    if (isNever(first) || isNever(other)) {
      return isNever(first);
    }
    if (mine.isPresent() && holds(mine.get(), first)) {
      return false;
    }
    if (mine.isPresent() && holds(mine.get(), other)) {
      return true;
    }
    return !first.isReady() && (other.isReady() || other.readyMicros() < first.readyMicros());
  }

  private static boolean isNever(BucketTurn turn) {
    return !LeakyBucket.canHold(turn.bucket(), turn.units());
  }

  private static boolean holds(Place place, BucketTurn turn) {
    return place.shares().stream()
        .anyMatch(share -> share.scope() == turn.bucket().scope()
            && share.bucket().equals(turn.bucket().name()));
  }
}
