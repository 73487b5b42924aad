package io.weir.state.denial;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Hold;
import io.weir.core.slot.SlotMode;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.state.denial.AskBudget.Pace;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Full buckets of tenants and of the cluster: an answer to one key applies to all keys that need the bucket. Bounded;
 * safe for use by many threads.
 *
 * <p>If places are made, a full bucket is a different one for each key, which may have a place: then it only limits how
 * often this node asks Redis for a bucket of the cluster.
 */
final class SharedDenials {
  private final Map<SharedBucket, SharedDenial> known = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;

  SharedDenials(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  private record SharedBucket(String tenant, String name) {
    static SharedBucket of(Charge charge, Demand demand) {
      boolean isTenants = demand.bucket().scope() == Scope.TENANT;
      return new SharedBucket(isTenants ? charge.tenant() : "", demand.bucket().name());
    }
  }

  /**
   * Remembers the full buckets of a denial that are shared.
   *
   * @param waitMicros of the denied caller, from when Redis decided
   */
  void learn(Charge charge, long[] used, long askedNanos, long waitMicros) {
    long now = nanoTime.getAsLong();
    for (int i = 0; i < used.length; i++) {
      Demand demand = charge.demands().get(i);
      boolean fits = LeakyBucket.fits(demand.bucket(), used[i], demand.units(charge.cost()));
      if (!fits && isShared(charge, demand)) {
        put(charge, demand, used[i], askedNanos, new LastDenial(charge, used, waitMicros, now));
      }
    }
  }

  private void put(Charge charge, Demand demand, long used, long askedNanos, LastDenial last) {
    SharedBucket bucket = SharedBucket.of(charge, demand);
    DenialCache.makeRoom(known, bucket);
    known.compute(bucket, (name, before) -> {
      if (before != null && before.trip().askedNanos() - askedNanos > 0) {
        return before;
      }
      SharedBudget budget = before == null ? new SharedBudget() : before.budget();
      RoundTrip trip = new RoundTrip(askedNanos, nanoTime.getAsLong());
      return new SharedDenial(charge.revision(), demand, used, trip, budget, last);
    });
  }

  private static boolean isShared(Charge charge, Demand demand) {
    return switch (demand.bucket().scope()) {
      case KEY -> false;
      case TENANT -> charge.slots() != SlotMode.RESERVE;
      case CLUSTER -> true;
    };
  }

  /** The answer, if it is known; null if Redis has to be asked. */
  @Nullable
  StoreAnswer answer(Charge charge) {
    if (known.isEmpty() || charge.ticket().shown().isPresent()) {
      return null;
    }
    List<Demand> demands = charge.demands();
    long now = nanoTime.getAsLong();
    for (int i = 0; i < demands.size(); i++) {
      Demand demand = demands.get(i);
      boolean isDecisive =
          isShared(charge, demand) && !demand.overflow() && !Demand.hasOverflow(demands, i);
      SharedDenial denial = isDecisive ? known(charge, demand, now) : null;
      StoreAnswer answer = denial == null ? null : answer(charge, demand, denial, now);
      if (answer != null) {
        return answer;
      }
    }
    return null;
  }

  private @Nullable SharedDenial known(Charge charge, Demand demand, long now) {
    SharedBucket bucket = SharedBucket.of(charge, demand);
    SharedDenial denial = known.get(bucket);
    if (denial != null && denial.trip().isOver(now)) {
      known.remove(bucket, denial);
      return null;
    }
    return denial != null && denial.isOf(charge, demand) ? denial : null;
  }

  private static @Nullable StoreAnswer answer(
      Charge charge, Demand demand, SharedDenial denial, long now) {
    boolean mayRepeat = charge.extras().hold().filter(Hold::isNamed).isPresent();
    boolean isOff = charge.slots() == SlotMode.OFF;
    if (!mayRepeat && isOff && denial.isFullFor(demand.units(charge.cost()), now)) {
      return denial.deny(charge, demand, now);
    }
    if (!LeakyBucket.canHold(demand.bucket(), demand.units(charge.cost()))
        || denial.budget().mayAsk(charge.tenant(), now, Pace.of(charge, List.of(demand)))) {
      return null;
    }
    return isOff
        ? denial.denyBeyondBound(charge, demand)
        : denial.last().deny(charge, demand, denial.usedUnits(), now);
  }
}
