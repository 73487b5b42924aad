package io.weir.inmemory;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.throttle.Charge;
import io.weir.inmemory.Reservation.OfBucket;
import java.util.List;

/** The marks of reservations in the buckets of a memory. Lives for one charge, or one end of a hold. */
final class MarkedBuckets {
  private final Memory memory;
  private final long now;

  MarkedBuckets(Memory memory, long nowMicros) {
    this.memory = memory;
    this.now = nowMicros;
  }

  /** Marks a reservation in the buckets that paid; returns its mark. */
  long mark(Charge charge, List<Demand> payers, long leaseEndsMicros) {
    long mark = now;
    for (Demand demand : payers) {
      Object owner = Memory.owner(charge, demand.bucket().scope());
      long newest = stored(owner, demand.bucket().name()).number(1);
      mark = Math.max(mark, newest + 1);
    }
    for (Demand demand : payers) {
      Bucket bucket = demand.bucket();
      Object owner = Memory.owner(charge, bucket.scope());
      State state = memory.state(owner); // as the charge left it
      BucketState taken = state.bucket(bucket.name()).orElseThrow();
      Marks marks = Marks.of(stored(owner, bucket.name()), taken.lowUnits());
      long kept = Marks.keptUntil(leaseEndsMicros, bucket);
      put(owner, bucket.name(), marks.with(mark, taken.usedUnits(), kept));
      state.put(bucket.name(), taken.marked());
      memory.put(owner, state);
    }
    return mark;
  }

  /**
   * Undoes the charge of units that a reservation took: the bucket as if they had never been taken.
   *
   * @param present the bucket now
   * @param capacityUnits of the bucket when they were taken
   */
  BucketState undone(
      Object owner, OfBucket taken, BucketState present, long units, long capacityUnits) {
    String name = taken.bucket().name();
    Marks marks = Marks.of(stored(owner, name), present.lowUnits());
    long part = Math.min(units, marks.most(taken.mark()));
    if (part == 0) {
      return present;
    }
    Marks left = marks.without(taken.mark(), part);
    put(owner, name, left);
    BucketState after = present.refunded(part, capacityUnits);
    return left.isEmpty() ? after.unmarked() : after.marked();
  }

  private Counter stored(Object owner, String bucket) {
    return memory.counter(owner, Marks.name(bucket), now);
  }

  private void put(Object owner, String bucket, Marks marks) {
    memory.put(owner, Marks.name(bucket), marks.counter(), now);
  }
}
