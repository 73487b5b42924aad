package io.weir.policy;

import io.weir.bucket.Bucket;
import io.weir.bucket.Demand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A bucket with what each of its operations demands.
 *
 * @param bucket the bucket
 * @param groups the groups it was made of
 * @param demands by operation
 */
record BucketShape(Bucket bucket, List<Group> groups, Map<String, Demand> demands) {

  /** The same, of which nodes hold leases or not. */
  BucketShape withLeases(boolean leased) {
    if (leased == bucket.leased()) {
      return this;
    }
    Bucket other = new Bucket(
        bucket.name(), bucket.scope(), bucket.milliOpsPerSec(), bucket.burstMillis(), leased);
    Map<String, Demand> moved = new LinkedHashMap<>();
    demands.forEach(
        (operation, demand) -> moved.put(operation, new Demand(other, demand.unitsPerOperation())));
    return new BucketShape(other, groups, moved);
  }

  /** Operations with one rate in a bucket. */
  record Group(long milliOpsPerSec, List<String> operations) {}
}
