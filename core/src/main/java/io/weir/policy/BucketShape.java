package io.weir.policy;

import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import java.util.List;
import java.util.Map;

/**
 * A bucket with what each of its operations draws.
 *
 * @param bucket the bucket
 * @param groups the groups it was made of
 * @param draws by operation
 */
record BucketShape(Bucket bucket, List<Group> groups, Map<String, Draw> draws) {

  /** Operations with one rate in a bucket. */
  record Group(long milliOpsPerSec, List<String> operations) {}
}
