package io.weir.model;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Scope;
import io.weir.model.Place.Share;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The buckets of one key, tenant or cluster that are not empty, as they were at one instant. Immutable. */
record State(long atMicros, long revision, Map<String, BucketState> buckets) {

  State {
    buckets = Map.copyOf(buckets);
  }

  boolean hasQueue() {
    return buckets.values().stream().anyMatch(bucket -> bucket.waiting() > 0);
  }

  /** The state at a later instant, without empty buckets. */
  State at(long nowMicros) {
    Map<String, BucketState> moved = new HashMap<>();
    buckets.forEach((name, bucket) -> {
      BucketState later = bucket.at(nowMicros);
      if (!later.isForgettable()) {
        moved.put(name, later);
      }
    });
    return new State(nowMicros, revision, moved);
  }

  /** The state at the present, if it is ahead of the clock. */
  State rebased(long nowMicros) {
    return atMicros <= nowMicros
        ? this
        : new State(nowMicros, revision, each(bucket -> bucket.rebased(nowMicros)));
  }

  State withoutQueue() {
    return new State(atMicros, revision, each(BucketState::withoutQueue));
  }

  /**
   * Removes an overdue place: its capacity is unclaimed in the buckets of this scope from its deadline on. If the state
   * is past the deadline already, the drained part is unknown, so nothing becomes unclaimed.
   */
  State letGo(Scope scope, Place gone) {
    long at = Math.max(atMicros, gone.deadlineMicros());
    Map<String, BucketState> after = new HashMap<>(each(bucket -> bucket.at(at)));
    for (Share share : gone.shares()) {
      if (share.held() && share.scope() == scope) {
        after.computeIfPresent(
            share.bucket(),
            (name, bucket) -> bucket.rate().equals(share.rate())
                ? bucket.released(gone.deadlineMicros() < atMicros ? 0 : share.units())
                : bucket);
      }
    }
    return new State(at, revision, after);
  }

  /** A bucket at the present, converted to the rate and burst of a policy. */
  BucketState bucket(Bucket bucket, long nowMicros) {
    @Nullable BucketState before = buckets.get(bucket.name());
    return before == null
        ? BucketState.empty(nowMicros, bucket)
        : before.at(nowMicros).carriedTo(bucket);
  }

  /** The state with a changed bucket. */
  State with(Bucket bucket, BucketState after, long newRevision) {
    Map<String, BucketState> changed = new HashMap<>(buckets);
    changed.put(bucket.name(), after);
    return new State(atMicros, newRevision, changed);
  }

  /** Whether a bucket that is not empty has another rate. */
  boolean hasOtherRate(Bucket bucket) {
    @Nullable BucketState before = buckets.get(bucket.name());
    return before != null && !before.rate().equals(bucket.rate()) && !before.isForgettable();
  }

  /** Whether the usage of the bucket was counted by another rate or burst. */
  boolean carries(Bucket bucket, long nowMicros) {
    @Nullable BucketState before = buckets.get(bucket.name());
    if (before == null) {
      return false;
    }
    long used = before.at(nowMicros).usedUnits();
    return used > bucket.capacityUnits() + before.debtUnits()
        || (used > 0 && !before.rate().equals(bucket.rate()));
  }

  private Map<String, BucketState> each(UnaryOperator<BucketState> change) {
    Map<String, BucketState> changed = new HashMap<>();
    buckets.forEach((name, bucket) -> changed.put(name, change.apply(bucket)));
    return changed;
  }
}
