package io.weir.core.policy.read;

import io.weir.core.bucket.Scope;
import io.weir.core.policy.read.BucketsReader.BucketSet;
import io.weir.core.policy.read.BucketsReader.DefinedBucket;
import io.weir.core.policy.schema.Section;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The limits of a policy by their names, in its order. No two have the same name.
 *
 * @param kinds quotas and permits
 * @param broken the names of those with errors, which are in neither map
 */
record DefinedLimits(
    Map<String, DefinedBucket> buckets, Map<String, KindLimit> kinds, Set<String> broken) {
  static DefinedLimits read(Section root, PolicySettings settings) {
    Set<String> names = new HashSet<>();
    Map<String, DefinedBucket> buckets = new LinkedHashMap<>();
    new BucketsReader(settings, names, !root.has("plans"))
        .read(root)
        .forEach(bucket -> buckets.put(bucket.name(), bucket));
    Map<String, KindLimit> kinds = new LinkedHashMap<>();
    new KindsReader(settings.scope(), names)
        .read(root)
        .forEach(limit -> kinds.put(limit.name(), limit));
    names.removeAll(buckets.keySet());
    names.removeAll(kinds.keySet());
    return new DefinedLimits(buckets, kinds, Set.copyOf(names));
  }

  /** The buckets of a set. */
  List<DefinedBucket> of(BucketSet set) {
    return buckets.values().stream().filter(bucket -> bucket.set() == set).toList();
  }

  /** The names of the buckets that all keys of a tenant share. */
  Set<String> ofTenants() {
    return buckets.values().stream()
        .filter(bucket -> bucket.shape().bucket().scope() == Scope.TENANT)
        .map(DefinedBucket::name)
        .collect(Collectors.toSet());
  }
}
