package io.weir.policy;

import io.weir.policy.BucketShape.Group;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Another rate or burst for some subjects. Exactly one of {@code bucket} and {@code operation} is there.
 *
 * @param section where it stands, for what turns out to be wrong later
 * @param bucket the bucket whose figures it replaces
 * @param operation the operation that gets a bucket of its own
 * @param rate absent where the rate stays as it is; a rate of 0 freezes
 * @param burstMillis absent where the burst stays as it is
 * @param groups absent where the groups stay as they are
 */
record LimitOverride(
    Section section,
    Optional<String> bucket,
    Optional<String> operation,
    Optional<GivenRate> rate,
    OptionalLong burstMillis,
    Optional<List<Group>> groups) {

  boolean freezes() {
    return rate.filter(GivenRate::isZero).isPresent();
  }
}
