package io.weir.insight.rehearsal;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Hold;
import io.weir.core.kind.Kind;
import io.weir.core.kind.KindDemand;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.SecretHash;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/**
 * Charges of limits that are only rehearsed: the same limits with states of their own, which nothing that is enforced
 * reads or writes. They make no places and need no permits. Mutable; owned by one event loop.
 */
final class ShadowCharges {
  private static final int MOST_KNOWN = 4096;
  private static final int TENANT_SHOWN = 32;
  private static final int HASH_SHOWN = 16;
  private static final String OF_CLUSTER = "rehearsed:";

  private final String name;
  private final boolean isOneRedis;
  private final IdentityHashMap<Limited, Shadow> known = new IdentityHashMap<>();

  /**
   * Charges of one rehearsal.
   *
   * @param name 1 to 14 letters and digits: other rehearsals have other states
   * @param isOneRedis whether buckets of scope {@code cluster} can be charged as they are
   */
  ShadowCharges(String name, boolean isOneRedis) {
    this.name = name;
    this.isOneRedis = isOneRedis;
  }

  /** The same lists for all charges of a limit, as the store expects. */
  private record Shadow(List<Demand> demands, List<KindDemand> others) {}

  /** The charge of a request; empty if none of the limits can be rehearsed. */
  Optional<Charge> of(Limited limited, Subject subject, long cost, long revision) {
    if (known.size() >= MOST_KNOWN) {
      known.clear(); // of earlier policies, or of keys with overrides
    }
    Shadow shadow = known.computeIfAbsent(limited, this::shadow);
    if (shadow.demands().isEmpty() && shadow.others().isEmpty()) {
      return Optional.empty();
    }
    Extras extras = shadow.others().isEmpty()
        ? Extras.NONE
        : new Extras(shadow.others(), Optional.<Hold>empty());
    return Optional.of(new Charge(
        tenant(subject.tenant()),
        subject.id(),
        revision,
        new Amount(shadow.demands(), cost, extras),
        Queueing.NONE,
        FailureMode.DENY));
  }

  private Shadow shadow(Limited limited) {
    List<Demand> demands = limited.demands().stream()
        .filter(demand -> isOneRedis || demand.bucket().scope() != Scope.CLUSTER)
        .map(ShadowCharges::shadow)
        .toList();
    List<KindDemand> others = limited.others().stream()
        .filter(other -> other.kind() != Kind.PERMIT && other.scope() != Scope.CLUSTER)
        .toList();
    return new Shadow(demands, others);
  }

  // All tenants have the state of scope cluster in common: there, names tell the buckets apart.
  private static Demand shadow(Demand demand) {
    Bucket bucket = demand.bucket();
    if (bucket.scope() != Scope.CLUSTER) {
      return demand;
    }
    Bucket other =
        new Bucket(OF_CLUSTER + bucket.name(), bucket.scope(), bucket.rate(), bucket.burstMillis());
    return new Demand(other, demand.unitsPerOperation(), demand.perRequest(), demand.overflow());
  }

  /** The tenant that has the states: no tenant of a policy is named like a hash by chance. */
  String tenant(String tenant) {
    String shown = tenant.substring(0, Math.min(TENANT_SHOWN, tenant.length()));
    String hash = SecretHash.of(name + " " + tenant).compact().substring(0, HASH_SHOWN);
    return "%s-%s-%s".formatted(name, shown, hash);
  }
}
