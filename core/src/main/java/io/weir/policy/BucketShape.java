package io.weir.policy;

import io.weir.bucket.Bucket;
import io.weir.bucket.Demand;
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

  /** Operations with one rate in a bucket. */
  record Group(long milliOpsPerSec, List<String> operations) {}
}
