package io.weir.state.lease;

import io.weir.core.bucket.Bucket;
import io.weir.state.wire.Partition;
import io.weir.state.wire.RedisKeys;

/**
 * A leased bucket of one owner. Buckets of one name and different shapes share a pool in Redis, and are leased apart.
 *
 * @param tenant of the owner; empty for scope {@code cluster}
 * @param subject of the owner; empty except for scope {@code key}
 */
public record Pool(Bucket bucket, String tenant, String subject) {

  // The hash of the names alone, whose hashes are kept: few pools differ only in the shape of the
  // bucket.
  @Override
  public int hashCode() {
    return hash(bucket, tenant, subject);
  }

  static int hash(Bucket bucket, String tenant, String subject) {
    return 31 * (31 * bucket.name().hashCode() + tenant.hashCode()) + subject.hashCode();
  }

  /** Whether it is the pool of this bucket and this owner. */
  boolean isOf(Bucket other, String ofTenant, String ofSubject) {
    return subject.equals(ofSubject) && tenant.equals(ofTenant) && bucket.equals(other);
  }

  /** Its key in Redis. */
  public String key() {
    return RedisKeys.pool(bucket, tenant, subject);
  }

  /** Its partition on a Redis Cluster: that of its tenant, if it has one. */
  int partition() {
    return Partition.of(tenant.isEmpty() ? bucket.name() : tenant);
  }
}
