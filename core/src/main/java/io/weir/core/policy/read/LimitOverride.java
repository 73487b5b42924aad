package io.weir.core.policy.read;

import io.weir.core.policy.read.BucketShape.Group;
import io.weir.core.policy.schema.Section;
import java.util.List;
import java.util.Optional;

/**
 * An override of a rate or burst for some subjects. Exactly one of {@code bucket} and {@code operation} is present.
 *
 * @param section its place in the document, for later problems
 * @param bucket the bucket whose figures it replaces
 * @param operation the operation that gets a bucket of its own
 * @param rate absent if the rate stays; a rate of 0 freezes
 * @param burstMillis absent if the burst stays
 * @param groups absent if the groups stay
 */
record LimitOverride(
    Section section,
    Optional<String> bucket,
    Optional<String> operation,
    Optional<GivenRate> rate,
    Optional<Long> burstMillis,
    Optional<List<Group>> groups) {

  boolean freezes() {
    return rate.filter(GivenRate::isZero).isPresent();
  }
}
