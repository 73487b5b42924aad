package io.weir.core.throttle;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.policy.PolicyRevision;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The last charges of the policy's subjects on a bucket that may be leased, by one revision: their names are looked up
 * once. Two charges in one slot replace each other. Safe for use by many threads.
 */
final class KnownCharges {
  private static final int SLOTS = 1 << 12;

  private final PolicyRevision policy;
  private final AtomicReferenceArray<@Nullable Known> slots = new AtomicReferenceArray<>(SLOTS);

  KnownCharges(PolicyRevision policy) {
    this.policy = policy;
  }

  private record Known(String operation, Charge charge) {
    boolean isOf(String subject, String asked, long cost) {
      return charge.cost() == cost && charge.subject().equals(subject) && operation.equals(asked);
    }
  }

  /** Whether they are charges by this very policy. */
  @SuppressWarnings("ReferenceEquality") // a policy of the same revision may have other lists
  boolean areBy(PolicyRevision other) {
    return policy == other;
  }

  /** The charge of a subject for an operation; null if it is not known. */
  @Nullable
  Charge find(String subject, String operation, long cost) {
    Known known = slots.getAcquire(slot(subject, operation));
    return known != null && known.isOf(subject, operation, cost) ? known.charge() : null;
  }

  /** Keeps a charge, without its ticket, if it is on one bucket that may be leased. Others need a call of the store anyway. */
  void keep(String operation, Charge charge) {
    if (mayBeLeased(charge) && find(charge.subject(), operation, charge.cost()) == null) {
      Charge kept = charge.with(Queueing.of(charge.slots()));
      slots.setRelease(slot(charge.subject(), operation), new Known(operation, kept));
    }
  }

  private static boolean mayBeLeased(Charge charge) {
    List<Demand> demands = charge.demands();
    if (demands.size() != 1 || !charge.extras().isEmpty()) {
      return false;
    }
    Bucket bucket = demands.get(0).bucket();
    return bucket.leased() || bucket.scope() == Scope.CLUSTER;
  }

  private static int slot(String subject, String operation) {
    int hash = 31 * subject.hashCode() + operation.hashCode();
    return (hash ^ hash >>> 12) & SLOTS - 1;
  }
}
