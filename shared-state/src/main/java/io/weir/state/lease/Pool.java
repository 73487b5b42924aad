package io.weir.state.lease;

import io.weir.core.bucket.Bucket;
import io.weir.core.throttle.Charge;
import io.weir.state.wire.Partition;
import io.weir.state.wire.RedisKeys;

/**
 * A leased bucket of one owner. Buckets of one name and different shapes share a pool in Redis, and are leased apart.
 *
 * @param tenant of the owner; empty for scope {@code cluster}
 * @param subject of the owner; empty except for scope {@code key}
 */
public record Pool(Bucket bucket, String tenant, String subject) {

  /** The pool that a charge on this bucket is taken from. */
  public static Pool of(Bucket bucket, Charge charge) {
    return switch (bucket.scope()) {
      case KEY -> new Pool(bucket, charge.tenant(), charge.subject());
      case TENANT -> new Pool(bucket, charge.tenant(), "");
      case CLUSTER -> new Pool(bucket, "", "");
    };
  }

  // Of the names alone, whose hashes are kept: few pools differ only in the shape of the bucket.
  @Override
  public int hashCode() {
    return 31 * (31 * bucket.name().hashCode() + tenant.hashCode()) + subject.hashCode();
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
