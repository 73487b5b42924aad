package io.weir.inmemory;

import static java.util.Objects.requireNonNull;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.throttle.Charge;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The states that a charge reads and changes. Mutable; lives for one charge. */
final class Look {
  private static final long MAX_COST = (1L << 53) - 1;

  private final Charge charge;
  private final Memory memory;
  private final long now;
  private final Map<Scope, State> found = new EnumMap<>(Scope.class);
  private final Set<Scope> scopes = EnumSet.noneOf(Scope.class);
  private final Set<Scope> ahead = EnumSet.noneOf(Scope.class);

  /** Reads the states for a charge from a memory. */
  Look(Charge charge, Memory memory, long nowMicros) {
    this.charge = charge;
    this.memory = memory;
    this.now = nowMicros;
    charge.demands().forEach(demand -> scopes.add(demand.bucket().scope()));
    for (Scope scope : Scope.values()) {
      State stored = memory.state(owner(scope));
      if (stored.atMicros() > now) {
        ahead.add(scope);
      }
      found.put(scope, stored.at(now));
    }
  }

  long now() {
    return now;
  }

  long newestRevision() {
    return scopes.stream().mapToLong(scope -> state(scope).revision()).max().orElse(0);
  }

  /** The buckets of demands as a request of this cost sees them. */
  List<BucketView> views(List<Demand> demands, long cost) {
    List<BucketView> views = new ArrayList<>();
    for (Demand demand : demands) {
      Bucket bucket = demand.bucket();
      State state = state(bucket.scope());
      State child = state(childOf(bucket.scope()));
      views.add(new BucketView(
          demand,
          demand.units(cost),
          now,
          state.bucket(bucket, now),
          state.calendar(bucket),
          child.line(demand)));
    }
    return views;
  }

  /** Decides on a request for these buckets. */
  SlotDecision decision(List<BucketView> views, long cost, long paid) {
    return new SlotDecision(
        now,
        Math.min(cost, MAX_COST),
        charge.slots(),
        charge.ticket(),
        views,
        paid,
        state(Scope.KEY));
  }

  /** The units used of a bucket of the charge; 0 of any other. */
  long usedOf(String bucket) {
    return charge.demands().stream()
        .map(Demand::bucket)
        .filter(known -> known.name().equals(bucket))
        .mapToLong(known -> state(known.scope()).bucket(known, now).usedUnits())
        .findFirst()
        .orElse(0);
  }

  /** Keeps everything that a decision has changed. */
  void commit(List<BucketView> views) {
    Set<Scope> changed = EnumSet.copyOf(scopes);
    for (BucketView view : views) {
      if (view.maybeCalendar().isPresent()) {
        changed.add(Scope.KEY);
        changed.add(childOf(view.bucket().scope()));
      }
    }
    changed.forEach(scope -> state(scope).moveTo(now));
    views.forEach(view -> state(view.bucket().scope()).put(view, charge.revision()));
    changed.forEach(this::write);
  }

  private static Scope childOf(Scope scope) {
    return scope == Scope.CLUSTER ? Scope.TENANT : Scope.KEY;
  }

  /** Keeps only the effects of a step of the clock and of a change of policy. */
  void commitCarried(List<BucketView> views) {
    rebase();
    for (Scope scope : scopes) {
      State state = state(scope);
      List<BucketView> own =
          views.stream().filter(view -> view.bucket().scope() == scope).toList();
      if (own.stream().anyMatch(view -> state.carries(view.bucket(), now))) {
        state.moveTo(now);
        own.forEach(view -> state.put(view, charge.revision()));
        write(scope);
      }
    }
  }

  /** Moves states back that are ahead of the clock: their levels drain from now on. */
  void rebase() {
    for (Scope scope : scopes) {
      if (ahead.remove(scope)) {
        write(scope);
      }
    }
  }

  private void write(Scope scope) {
    State state = state(scope);
    state.moveTo(now);
    memory.put(owner(scope), state);
  }

  private Object owner(Scope scope) {
    return Memory.owner(charge, scope);
  }

  private State state(Scope scope) {
    return requireNonNull(found.get(scope));
  }
}
