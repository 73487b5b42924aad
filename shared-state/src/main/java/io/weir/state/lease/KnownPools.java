package io.weir.state.lease;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Scope;
import io.weir.core.throttle.Charge;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The pools that charges were taken from last, so that not each charge makes one. Two pools in one slot overwrite each
 * other. Safe for use by many threads.
 */
final class KnownPools {
  private static final int SLOTS = 1 << 12;

  private final AtomicReferenceArray<@Nullable Pool> slots = new AtomicReferenceArray<>(SLOTS);

  /** The pool that a charge on this bucket is taken from. */
  Pool of(Bucket bucket, Charge charge) {
    String tenant = bucket.scope() == Scope.CLUSTER ? "" : charge.tenant();
    String subject = bucket.scope() == Scope.KEY ? charge.subject() : "";
    int hash = Pool.hash(bucket, tenant, subject);
    int slot = (hash ^ hash >>> 12) & SLOTS - 1;
    Pool known = slots.getAcquire(slot);
    if (known != null && known.isOf(bucket, tenant, subject)) {
      return known;
    }
    Pool made = new Pool(bucket, tenant, subject);
    slots.setRelease(slot, made);
    return made;
  }
}
