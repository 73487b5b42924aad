package io.weir.core.policy.read;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A bucket with the demands of its operations.
 *
 * @param bucket the bucket
 * @param groups the groups it was made of
 * @param demands by operation
 */
record BucketShape(Bucket bucket, List<Group> groups, Map<String, Demand> demands) {

  /** The same shape, with or without leases. */
  BucketShape withLeases(boolean leased) {
    if (leased == bucket.leased()) {
      return this;
    }
    Bucket other =
        new Bucket(bucket.name(), bucket.scope(), bucket.rate(), bucket.burstMillis(), leased);
    Map<String, Demand> moved = new LinkedHashMap<>();
    demands.forEach(
        (operation, demand) -> moved.put(operation, new Demand(other, demand.unitsPerOperation())));
    return new BucketShape(other, groups, moved);
  }

  /**
   * Operations with one rate in a bucket.
   *
   * @param written the rate as written in the policy, for messages
   */
  record Group(Rate rate, String written, List<String> operations) {

    /** A group with a rate above 0. */
    static Group of(GivenRate given, List<String> operations) {
      return new Group(given.rate().orElseThrow(), given.written(), operations);
    }
  }
}
