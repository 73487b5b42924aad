package io.weir.operators.rehearsal;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Kind;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.SecretHash;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Charges of limits that are only rehearsed: the same limits with states of their own, which nothing that is enforced
 * reads or writes. They make no places and need no permits. Mutable; owned by one event loop.
 */
final class ShadowCharges {
  private static final int MOST_KNOWN = 4096;
  private static final int TENANT_SHOWN = 32;
  private static final int HASH_SHOWN = 16;
  private static final String ALL = "all";

  private final String name;
  private final String tenantOfAll;
  private final IdentityHashMap<Limited, Shadow> known = new IdentityHashMap<>();

  /** @param name 1 to 14 letters and digits: other rehearsals have other states */
  ShadowCharges(String name) {
    this.name = name;
    this.tenantOfAll = tenant("(cluster)", ALL);
  }

  /** The limits of one owner: the same lists for all charges, as the store expects. */
  private record Limits(List<Demand> demands, List<KindDemand> others) {
    Optional<Charge> charge(String tenant, String subject, long cost, long revision) {
      if (demands.isEmpty() && others.isEmpty()) {
        return Optional.empty();
      }
      Extras extras = others.isEmpty() ? Extras.NONE : new Extras(others, Optional.empty());
      return Optional.of(new Charge(
          tenant,
          subject,
          revision,
          new Amount(demands, cost, extras),
          Queueing.NONE,
          FailureMode.DENY));
    }
  }

  private record Shadow(Limits own, Limits shared) {}

  /** The charge of a request, which is empty if none of the limits can be rehearsed. */
  ShadowCharge of(Limited limited, String tenant, String subject, long cost, long revision) {
    if (known.size() >= MOST_KNOWN) {
      known.clear(); // of earlier policies, or of keys with overrides
    }
    Shadow shadow = known.computeIfAbsent(limited, ShadowCharges::shadow);
    return new ShadowCharge(
        shadow.own().charge(tenant(tenant, tenant), subject, cost, revision),
        shadow.shared().charge(tenantOfAll, ALL, cost, revision));
  }

  private static Shadow shadow(Limited limited) {
    Predicate<Scope> isOfAll = scope -> scope == Scope.CLUSTER;
    return new Shadow(
        new Limits(
            limited.demands().stream()
                .filter(demand -> !isOfAll.test(demand.bucket().scope()))
                .toList(),
            limited.others().stream()
                .filter(other -> other.kind() != Kind.PERMIT && !isOfAll.test(other.scope()))
                .toList()),
        new Limits(
            limited.demands().stream()
                .filter(demand -> isOfAll.test(demand.bucket().scope()))
                .map(ShadowCharges::asOfKey)
                .toList(),
            limited.others().stream()
                .filter(other -> isOfAll.test(other.scope()))
                .filter(Quota.class::isInstance)
                .map(other -> asOfKey((Quota) other))
                .toList()));
  }

  // A limit that all share is rehearsed as that of one key, in whose name all are charged.
  private static Demand asOfKey(Demand demand) {
    Bucket of = demand.bucket();
    return new Demand(
        new Bucket(of.name(), Scope.KEY, of.rate(), of.burstMillis()),
        demand.unitsPerOperation(),
        demand.perRequest(),
        demand.overflow());
  }

  private static KindDemand asOfKey(Quota of) {
    return new Quota(
        of.name(),
        Scope.KEY,
        of.limit(),
        of.window(),
        of.isSoft(),
        of.nearPercent(),
        of.countsRequests(),
        of.overflow());
  }

  // No tenant of a policy is named like a hash by chance.
  private String tenant(String tenant, String shown) {
    String begin = shown.substring(0, Math.min(TENANT_SHOWN, shown.length()));
    String hash = SecretHash.of(name + " " + tenant).compact().substring(0, HASH_SHOWN);
    return "%s-%s-%s".formatted(name, begin, hash);
  }
}
